// Whether a worker could work at this moment, and if not, why: each thing it depends on is tried when it is asked.

import type { Clock } from '../platform/clock.ts';
import { messageOf } from '../platform/errors.ts';
import type { Dependency } from './dependency.ts';

export interface Part {
  readonly name: string;
  readonly state: Dependency;
  /** Rejects with the reason when it cannot be worked with. Undefined while there is no connection yet. */
  readonly check: (() => Promise<void> | undefined) | undefined;
}

/** `ready`, one field for each part, and `reasons` by the name of the part or `paused`. */
export type Readiness = { readonly ready: boolean; readonly reasons: Readonly<Record<string, string>> } & Readonly<
  Record<string, unknown>
>;

/** `pauseReason`: why no URLs are taken although all parts work. */
export async function readinessOf(
  parts: readonly Part[],
  pauseReason: string | undefined,
  clock: Clock,
  limitMs: number,
): Promise<Readiness> {
  const found = await Promise.all(
    parts.map(async (part) => [part.name, await reasonAgainst(part, clock, limitMs)] as const),
  );
  const all = [...found, ['paused', pauseReason] as const];
  const reasons = Object.fromEntries(all.flatMap(([name, reason]) => (reason === undefined ? [] : [[name, reason]])));
  const works = Object.fromEntries(found.map(([name, reason]) => [name, reason === undefined]));
  return { ready: Object.keys(reasons).length === 0, ...works, reasons };
}

/** What is known counts until it is found out that it works again, so that this and the log say the same. */
async function reasonAgainst({ state, check }: Part, clock: Clock, limitMs: number): Promise<string | undefined> {
  if (check === undefined) return state.reason ?? 'there is no connection yet';
  const answered = new AbortController();
  const late = clock.sleep(limitMs, answered.signal).then(
    () => state.reason ?? `no answer within ${limitMs} ms`,
    () => undefined,
  );
  const checked = Promise.resolve(check()).then(
    () => undefined,
    (error) => {
      state.failed(error);
      return messageOf(error);
    },
  );
  try {
    return (await Promise.race([checked, late])) ?? state.reason;
  } finally {
    answered.abort();
  }
}

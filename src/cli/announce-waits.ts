// Says in a line of its own what is waited for, when that begins, and when it is over: nobody should have to guess why nothing
// happens.

import type { HostWait } from '../fetch/host-wait.ts';
import { systemClock } from '../platform/clock.ts';
import { formatWait, printable } from './format.ts';

const LOOK_MS = 500;

/** A single request without an answer is nothing to tell. */
const LASTING_MS = 2_000;

interface Announced {
  readonly since: number;
  /** What was said last; undefined while it is not worth a line. */
  said: string | undefined;
}

/** Begins to look. The result ends it. */
export function announceWaits(look: () => readonly HostWait[], say: (text: string) => void): () => void {
  const announced = new Map<string, Announced>();
  const timer = setInterval(() => announce(look(), announced, systemClock.monotonic(), say), LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Exported for its test. */
export function announce(
  waits: readonly HostWait[],
  announced: Map<string, Announced>,
  now: number,
  say: (text: string) => void,
): void {
  for (const wait of waits) {
    const known = announced.get(wait.host) ?? { since: now, said: undefined };
    announced.set(wait.host, known);
    if (wait.until === undefined && (known.said !== undefined || now - known.since < LASTING_MS)) continue;
    const text = formatWait(wait);
    if (text !== known.said) say(text);
    known.said = text;
  }
  const waited = new Set(waits.map(({ host }) => host));
  for (const [host, { said }] of announced) {
    if (waited.has(host)) continue;
    announced.delete(host);
    if (said !== undefined) say(`no longer waiting for ${printable(host)}`);
  }
}

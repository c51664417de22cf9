// The breaker of one host as several processes share it: its state, by the time they share, and who has the right to probe.

import { z } from 'zod';
import type { Instant } from '../../platform/clock.ts';
import { type BreakerState, closedBreaker, onRestart } from './breaker-state.ts';

const counts = { generation: z.number(), failures: z.number() };
const State = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('closed'), ...counts }),
  z.object({ kind: z.literal('open'), ...counts, delayMs: z.number(), probeAt: z.number() }),
  z.object({ kind: z.literal('half_open'), ...counts, delayMs: z.number() }),
]);

const Record = z.object({
  state: State,
  /** The worker that probes, and until when that is believed. */
  prober: z.object({ worker: z.string(), until: z.number() }).optional(),
  /** Tells one writing from any other. */
  writing: z.string(),
});

export interface BreakerRecord {
  readonly state: BreakerState;
  readonly prober?: { readonly worker: string; readonly until: Instant } | undefined;
}

/** As it was read. */
export interface SeenBreaker extends BreakerRecord {
  /** The very text, undefined when there was none. */
  readonly text: string | undefined;
  /** By the time that is shared. */
  readonly now: Instant;
}

/** There is none at the start, and a text that cannot be read counts as none. */
export function readRecord(text: string | undefined): BreakerRecord {
  if (text === undefined) return { state: closedBreaker };
  try {
    return Record.parse(JSON.parse(text));
  } catch {
    return { state: closedBreaker };
  }
}

export function writeRecord({ state, prober }: BreakerRecord, writing: string): string {
  return JSON.stringify({ state, prober, writing });
}

/** The state to go by: a probe whose worker is gone died with it. */
export function presentState(seen: SeenBreaker, leaseMs: number): BreakerState {
  const { state, now } = seen;
  return state.kind === 'half_open' && !isProbing(seen, leaseMs) ? onRestart(state, now) : state;
}

/** Whether the right to probe is somebody's. One that lasts longer than it can is of a clock that was set back since. */
export function isProbing({ prober, now }: SeenBreaker, leaseMs: number): boolean {
  return prober !== undefined && prober.until > now && prober.until <= now + leaseMs;
}

/** Whether forgetting it would let requests go to a host that is down, or nearly. */
export function isWorthKeeping({ state }: BreakerRecord): boolean {
  return state.kind !== 'closed' || state.failures > 0;
}

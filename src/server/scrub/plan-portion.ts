// How much of a round of the scrubber is due now, and when to look again: the work is spread evenly over the whole round. Pure.

import type { Instant } from '../../platform/clock.ts';

export interface RoundFacts {
  /** Things to look at in a round, and how many of them were. */
  readonly total: number;
  readonly done: number;
  readonly beganAt: Instant;
  readonly now: Instant;
  /** How long a round takes. */
  readonly periodMs: number;
}

export interface Portion {
  readonly count: number;
  /** Whether the round is over with it. */
  readonly isLast: boolean;
  readonly waitMs: number;
}

/** At once: small, so that nobody waits for it. */
const MOST_AT_ONCE = 50;
const SHORTEST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export function planPortion({ total, done, beganAt, now, periodMs }: RoundFacts): Portion {
  // A clock that was set back is no reason to wait for long.
  const elapsed = Math.max(0, now - beganAt);
  const due = elapsed >= periodMs ? total : Math.floor((total * elapsed) / periodMs);
  const count = Math.min(MOST_AT_ONCE, Math.max(0, due - done));
  const isLast = elapsed >= periodMs && done + count >= total;
  const isBehind = due > done + count;
  const nextMs = isBehind || total === 0 ? 0 : ((done + count + 1) * periodMs) / total - elapsed;
  const waitMs =
    total === 0 ? LONGEST_WAIT_MS : Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, Math.ceil(nextMs)));
  return { count, isLast, waitMs };
}

// What is remembered of a host over restarts. Plain data.

import type { Instant } from '../platform/clock.ts';
import type { BreakerState } from './politeness/breaker-state.ts';
import type { LimiterState } from './politeness/limiter.ts';

export interface HostState {
  readonly breaker: BreakerState;
  readonly rate: LimiterState;
  /** The smallest gap between two requests, crawl-delay included; 0 for none. */
  readonly intervalMs: number;
  /** Since they were last saved; what is saved is the sum, over all processes. */
  readonly counts: HostCounts;
  /** What the next probe goes to: http and https of a host may fare differently. Absent in what older versions saved. */
  readonly probedOrigin?: string;
  /** Why it gives no answer, since when; absent when it has answered since. */
  readonly trouble?: { readonly since: Instant; readonly reason: string };
  /** When it last answered as a host does that works: below 500, or 501. */
  readonly reachedAt?: Instant;
  /** What the answer was with which it asked for time. */
  readonly heldFor?: string;
  /** When the first of its proxies is back, while all of them rest. */
  readonly proxiesRestUntil?: Instant;
}

/** The later of two states of a host, with what was counted for both. */
export function joinedState(earlier: HostState | undefined, later: HostState): HostState {
  if (earlier === undefined) return later;
  const [before, since] = [earlier.counts, later.counts];
  const counts = {
    requests: before.requests + since.requests,
    allowed: before.allowed + since.allowed,
    disallowed: before.disallowed + since.disallowed,
  };
  return { ...later, counts };
}

export interface HostCounts {
  /** Every request that left for the host: pages, robots.txt, probes. */
  readonly requests: number;
  /** Requests that robots.txt allowed, or did not speak of. */
  readonly allowed: number;
  readonly disallowed: number;
}

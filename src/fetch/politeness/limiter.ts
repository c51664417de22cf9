// The pace of one host, as its gate sees it: who may leave, and when. Whether the pace is this process' own or shared by
// many is the implementation's affair; none may go faster for not knowing something.

import type { Instant } from '../../platform/clock.ts';

export interface RateSettings {
  /** Requests a second, or `off` for no pace of our own. Default 1. */
  readonly ratePerSecond: number | 'off';
  /** Requests that may leave at once after a quiet time. Default 1. */
  readonly burst: number;
  /**
   * Largest part of the gap that is added to it. Half of it always is, and chance decides about the rest: so a request
   * that is held up on its way does not come nearer to the next one than the limit says. Default 0.1.
   */
  readonly jitter: number;
}

export const defaultRateSettings: RateSettings = { ratePerSecond: 1, burst: 1, jitter: 0.1 };

/** The gap that the settings ask for, without jitter: 0 when there is none. */
export function ownIntervalMs({ ratePerSecond }: RateSettings): number {
  return ratePerSecond === 'off' ? 0 : 1_000 / ratePerSecond;
}

/** A gap with its jitter; `chance` is a number in [0, 1). */
export function jitteredGapMs(intervalMs: number, { jitter }: RateSettings, chance: number): number {
  return intervalMs * (1 + (jitter * (1 + chance)) / 2);
}

/** The right to be the next to leave. It ends with the first of these calls; further ones do nothing, and give false. */
export interface Turn {
  /**
   * The request goes onto the wire, or it came to nothing on its way there. The quiet runs from here. False: this process stood
   * still for so long that the turn was taken from it, and the request must not leave.
   */
  leave(): boolean;
  /** No request is made after all, and no token spent. */
  giveBack(): void;
}

/** What must outlive the process so that a restart does not burst. Plain data. */
export interface LimiterState {
  /** When the latest request left: the next process may have to keep a longer gap. Absent in what older versions saved. */
  readonly startedAt?: Instant;
  /** When every token given out so far will be paid for. */
  readonly paidAt: Instant;
  /** No request leaves before it. */
  readonly heldUntil: Instant;
}

export interface Limiter {
  /**
   * Resolves when a request may leave, in the order of asking. The turn stays with the caller, who must end it: nobody
   * else leaves before that, so that a connection which is slow to open cannot bring two requests near each other. Where
   * there is no pace, nobody waits for it. Rejects with the signal's reason on abort, and then no token is spent.
   */
  takeTurn(signal: AbortSignal): Promise<Turn>;
  /**
   * What robots.txt asks for, 0 for nothing. Counts where it is longer than our own gap, from the last request on, and
   * then allows no burst. With a rate of `off` it is the only pace there is.
   */
  setCrawlDelay(crawlDelayMs: number): void;
  /** Nothing leaves before `instant` (Retry-After). An earlier instant does not shorten a later one. */
  holdUntil(instant: Instant): void;
  /** The smallest gap between two requests in the long run, without jitter: 0 when there is no limit. */
  readonly intervalMs: number;
  /** The state to save: what this process knows of it. */
  snapshot(): LimiterState;
}

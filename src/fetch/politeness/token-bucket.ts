// Rate limit for one host. A token is taken when a request leaves, so the quiet runs from start to start, and whoever
// waits is served in order. Jitter, crawl-delay, holds and restored state can only make it slower. Time is monotonic
// inside, so that a changed wall clock neither bursts nor stalls; only what is saved is wall time.

import type { Clock, Instant } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { FairLock } from './fair-lock.ts';

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

/** What must outlive the process so that a restart does not burst. Plain data. */
export interface TokenBucketState {
  /** When every token given out so far will be paid for. */
  readonly paidAt: Instant;
  /** No request leaves before it. */
  readonly heldUntil: Instant;
}

/** The right to be the next to leave. It ends with the first of these calls; further ones do nothing. */
export interface Turn {
  /** The request is on the wire, or it came to nothing on its way there. The quiet runs from here. */
  leave(): void;
  /** No request is made after all, and no token spent. */
  giveBack(): void;
}

export class TokenBucket {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #settings: RateSettings;
  readonly #turn = new FairLock();
  #crawlDelayMs = 0;
  // All on the monotonic clock.
  #lastStart = Number.NEGATIVE_INFINITY;
  #paidAt = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: Random, settings: RateSettings = defaultRateSettings) {
    this.#clock = clock;
    this.#random = random;
    this.#settings = settings;
  }

  /**
   * Resolves when a request may leave, in the order of asking, with that moment. Rejects with the signal's reason on
   * abort, and then no token is spent.
   */
  async take(signal: AbortSignal): Promise<Instant> {
    const turn = await this.takeTurn(signal);
    turn.leave();
    return this.#clock.now();
  }

  /**
   * As `take`, but the turn stays with the caller, who must end it. Nobody else leaves before that, so that a connection
   * which is slow to open cannot bring two requests near each other. Where there is no pace, nobody waits for it.
   */
  async takeTurn(signal: AbortSignal): Promise<Turn> {
    await this.#turn.acquire(signal);
    try {
      // More than once: a hold may come while we wait, and timers may wake a little early.
      for (let waitMs = this.#waitMs(); waitMs > 0; waitMs = this.#waitMs()) {
        await this.#clock.sleep(Math.ceil(waitMs), signal);
      }
      signal.throwIfAborted();
    } catch (error) {
      this.#turn.release();
      throw error;
    }
    const [paidAt, lastStart] = [this.#paidAt, this.#lastStart];
    this.#spend();
    let held = this.intervalMs > 0;
    const end = (settle: () => void) => {
      if (!held) return;
      held = false;
      settle();
      this.#turn.release();
    };
    if (!held) this.#turn.release();
    return {
      leave: () => end(() => this.#startNow()),
      giveBack: () => end(() => ([this.#paidAt, this.#lastStart] = [paidAt, lastStart])),
    };
  }

  /**
   * What robots.txt asks for, 0 for nothing. Counts where it is longer than our own gap, from the last request on, and
   * then allows no burst. With a rate of `off` it is the only pace there is.
   */
  setCrawlDelay(crawlDelayMs: number): void {
    this.#crawlDelayMs = crawlDelayMs;
  }

  /** Nothing leaves before `instant` (Retry-After). An earlier instant does not shorten a later one. */
  holdUntil(instant: Instant): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#toMonotonic(instant));
  }

  /** The smallest gap between two requests in the long run, without jitter: 0 when there is no limit. */
  get intervalMs(): number {
    return Math.max(this.#ownIntervalMs(), this.#crawlDelayMs);
  }

  /** How many callers wait, the one whose turn is next not counted. */
  get waiting(): number {
    return this.#turn.waiting;
  }

  /** The state to save. */
  snapshot(): TokenBucketState {
    return { paidAt: this.#toWall(this.#paidAt), heldUntil: this.#toWall(this.#heldUntil) };
  }

  /** Takes over saved state, as far as it makes us slower. */
  restore(state: TokenBucketState): void {
    this.#paidAt = Math.max(this.#paidAt, this.#toMonotonic(state.paidAt));
    this.holdUntil(state.heldUntil);
  }

  #ownIntervalMs(): number {
    return this.#settings.ratePerSecond === 'off' ? 0 : 1_000 / this.#settings.ratePerSecond;
  }

  #waitMs(): number {
    const delayed = this.#crawlDelayMs > this.#ownIntervalMs();
    const freeAt = delayed
      ? Math.max(this.#paidAt, this.#lastStart + this.#crawlDelayMs)
      : this.#paidAt - (this.#settings.burst - 1) * this.#ownIntervalMs();
    return Math.max(freeAt, this.#heldUntil) - this.#clock.monotonic();
  }

  #spend(): void {
    const gapMs = this.intervalMs * (1 + (this.#settings.jitter * (1 + this.#random.next())) / 2);
    this.#lastStart = this.#clock.monotonic();
    this.#paidAt = Math.max(this.#paidAt, this.#lastStart) + gapMs;
  }

  /** The request that was paid for leaves only now: everything after it is later by as much. */
  #startNow(): void {
    const now = this.#clock.monotonic();
    this.#paidAt += now - this.#lastStart;
    this.#lastStart = now;
  }

  #toMonotonic(instant: Instant): number {
    return instant - this.#clock.now() + this.#clock.monotonic();
  }

  #toWall(monotonic: number): Instant {
    return Math.ceil(Math.max(0, monotonic - this.#clock.monotonic() + this.#clock.now()));
  }
}

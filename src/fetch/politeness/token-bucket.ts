// Rate limit for one host. A token is taken when a request leaves, so the quiet runs from start to start, and whoever
// waits is served in order. Jitter, crawl-delay, holds and restored state can only make it slower. Time is monotonic
// inside, so that a changed wall clock neither bursts nor stalls; only what is saved is wall time.

import type { Clock, Instant } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { FairLock } from './fair-lock.ts';
import {
  defaultRateSettings,
  jitteredGapMs,
  type Limiter,
  type LimiterState,
  ownIntervalMs,
  type RateSettings,
  type Turn,
} from './limiter.ts';

export class TokenBucket implements Limiter {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #settings: RateSettings;
  readonly #ownMs: number;
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
    this.#ownMs = ownIntervalMs(settings);
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

  setCrawlDelay(crawlDelayMs: number): void {
    this.#crawlDelayMs = crawlDelayMs;
  }

  holdUntil(instant: Instant): void {
    this.#heldUntil = Math.max(this.#heldUntil, this.#toMonotonic(instant));
  }

  get intervalMs(): number {
    return Math.max(this.#ownMs, this.#crawlDelayMs);
  }

  /** How many callers wait, the one whose turn is next not counted. */
  get waiting(): number {
    return this.#turn.waiting;
  }

  snapshot(): LimiterState {
    return { paidAt: this.#toWall(this.#paidAt), heldUntil: this.#toWall(this.#heldUntil) };
  }

  /** Takes over saved state, as far as it makes us slower. */
  restore(state: LimiterState): void {
    this.#paidAt = Math.max(this.#paidAt, this.#toMonotonic(state.paidAt));
    this.holdUntil(state.heldUntil);
  }

  #waitMs(): number {
    const freeAt =
      this.#crawlDelayMs > this.#ownMs
        ? Math.max(this.#paidAt, this.#lastStart + this.#crawlDelayMs)
        : this.#paidAt - (this.#settings.burst - 1) * this.#ownMs;
    return Math.max(freeAt, this.#heldUntil) - this.#clock.monotonic();
  }

  #spend(): void {
    const gapMs = jitteredGapMs(this.intervalMs, this.#settings, this.#random.next());
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

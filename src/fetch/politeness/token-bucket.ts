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
import { LONGEST_RETRY_AFTER_MS } from './retry-after.ts';

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
      while (this.waitMs > 0) await this.#clock.sleep(Math.ceil(this.waitMs), signal);
      signal.throwIfAborted();
    } catch (error) {
      this.#turn.release();
      throw error;
    }
    return this.intervalMs > 0 ? this.#pacedTurn() : this.#freeTurn();
  }

  #pacedTurn(): Turn {
    const [paidAt, lastStart] = [this.#paidAt, this.#lastStart];
    this.#spend();
    const end = once((settle: () => void) => {
      settle();
      this.#turn.release();
    });
    return {
      leave: () => end(() => this.#startNow()),
      giveBack: () => void end(() => ([this.#paidAt, this.#lastStart] = [paidAt, lastStart])),
    };
  }

  /** Without a pace nobody waits for it to leave. But when it leaves may count later, for a crawl-delay that it brings. */
  #freeTurn(): Turn {
    this.#turn.release();
    const end = once((left: boolean) => {
      if (left) this.#lastStart = this.#clock.monotonic();
    });
    return { leave: () => end(true), giveBack: () => void end(false) };
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
    return {
      startedAt: this.#toWall(this.#lastStart),
      paidAt: this.#toWall(Math.max(this.#paidAt, this.#quietUntil())),
      heldUntil: this.#toWall(this.#heldUntil),
    };
  }

  /**
   * Takes over what was saved of a host with gaps of `intervalMs`, as far as it makes us slower. What is further ahead than it
   * can be was saved by a clock that was wrong, and is not waited for.
   */
  restore(state: LimiterState, intervalMs: number): void {
    const now = this.#clock.now();
    const startedAt = Math.min(state.startedAt ?? 0, now);
    const owedAt = startedAt + this.#leastGapMs(this.intervalMs);
    const mostOwedMs = this.#settings.burst * jitteredGapMs(Math.max(intervalMs, this.intervalMs), this.#settings, 1);
    const paidAt = Math.max(owedAt, Math.min(state.paidAt, now + mostOwedMs));
    this.#lastStart = Math.max(this.#lastStart, this.#toMonotonic(startedAt));
    this.#paidAt = Math.max(this.#paidAt, this.#toMonotonic(paidAt));
    this.holdUntil(Math.min(state.heldUntil, now + LONGEST_RETRY_AFTER_MS));
  }

  /** How long the next request has to wait at the least; not above 0 when it may leave. */
  get waitMs(): number {
    const savedMs = this.#crawlDelayMs > this.#ownMs ? 0 : (this.#settings.burst - 1) * this.#ownMs;
    return Math.max(this.#paidAt - savedMs, this.#quietUntil(), this.#heldUntil) - this.#clock.monotonic();
  }

  /** The end of a crawl-delay, which may have become known after the last request left. */
  #quietUntil(): number {
    if (this.#crawlDelayMs <= this.#ownMs) return Number.NEGATIVE_INFINITY;
    return this.#lastStart + this.#leastGapMs(this.#crawlDelayMs);
  }

  #leastGapMs(intervalMs: number): number {
    return jitteredGapMs(intervalMs, this.#settings, 0);
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

/** The first call counts. Gives whether it was that. */
function once<Arguments extends unknown[]>(work: (...args: Arguments) => void): (...args: Arguments) => boolean {
  let done = false;
  return (...args) => {
    if (done) return false;
    done = true;
    work(...args);
    return true;
  };
}

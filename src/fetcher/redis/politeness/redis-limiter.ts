// The pace of one host over all workers that share a Redis, by Redis' clock. The callers of a process stand in a line of
// their own, whose head stands in the line of the workers. What Redis may have forgotten counts as spent: after a new
// connection, and where a bucket is gone that was seen before, a gap is waited for.

import { FairLock } from '../../../fetch/politeness/fair-lock.ts';
import {
  jitteredGapMs,
  type Limiter,
  type LimiterState,
  ownIntervalMs,
  type RateSettings,
  type Turn,
} from '../../../fetch/politeness/limiter.ts';
import type { Instant } from '../../../platform/clock.ts';
import type { Random } from '../../../platform/random.ts';
import { BUCKET_KEPT_MS, bucketKey } from './bucket-script.ts';
import { endTurn } from './end-turn.ts';
import { holdHost } from './hold-host.ts';
import type { PatientRedis } from './patient-redis.ts';
import type { RedisLink } from './redis-link.ts';
import { type TurnAnswer, takeTurn } from './take-turn.ts';

export interface RedisLimiterOptions {
  readonly redis: PatientRedis;
  readonly random: Random;
  readonly settings: RateSettings;
  /** A name that no other worker has. */
  readonly worker: string;
  /** After how long the turn of a worker that has died is another's. Default 3,000 ms. */
  readonly turnLeaseMs?: number;
}

interface Moment {
  readonly wall: Instant;
  readonly monotonic: number;
}

const TURN_LEASE_MS = 3_000;
const NO_TURN: Turn = { leave: () => true, giveBack() {} };

export class RedisLimiter implements Limiter {
  readonly #options: RedisLimiterOptions;
  readonly #key: string;
  readonly #leaseMs: number;
  readonly #line = new FairLock();
  #crawlDelayMs = 0;
  #turns = 0;
  #connections = 0;
  // All on the monotonic clock.
  #paidAt = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #knownUntil = Number.NEGATIVE_INFINITY;
  #doubtUntil = Number.NEGATIVE_INFINITY;

  constructor(host: string, options: RedisLimiterOptions) {
    this.#options = options;
    this.#key = bucketKey(host);
    this.#leaseMs = options.turnLeaseMs ?? TURN_LEASE_MS;
  }

  async takeTurn(signal: AbortSignal): Promise<Turn> {
    // Without a pace there is nothing to stand in line for.
    const inLine = this.intervalMs > 0;
    if (inLine) await this.#line.acquire(signal);
    const caller = `${this.#options.worker}:${++this.#turns}`;
    let gapMs = 0;
    let askedAt = this.#moment();
    try {
      for (;;) {
        const { intervalMs } = this;
        gapMs = jitteredGapMs(intervalMs, this.#options.settings, this.#options.random.next());
        const answer = await this.#options.redis.ask((link) => {
          askedAt = this.#moment();
          return this.#ask(link, caller, intervalMs, gapMs);
        }, signal);
        if (answer.isGranted) break;
        await this.#options.redis.clock.sleep(answer.waitMs, signal);
      }
      signal.throwIfAborted();
    } catch (error) {
      // The answer to a question that is under way may be yes.
      this.#end(caller, 'back', gapMs);
      if (inLine) this.#line.release();
      throw error;
    }
    this.#paidAt = this.#now() + gapMs;
    const release = inLine ? () => this.#line.release() : () => {};
    if (gapMs > 0) return this.#turn(caller, gapMs, askedAt, release);
    release();
    return NO_TURN;
  }

  setCrawlDelay(crawlDelayMs: number): void {
    this.#crawlDelayMs = crawlDelayMs;
  }

  holdUntil(instant: Instant): void {
    const { redis } = this.#options;
    const until = instant - redis.clock.now() + this.#now();
    this.#heldUntil = Math.max(this.#heldUntil, until);
    // A worker that never comes here again has to tell the others all the same.
    void redis.soon((signal) =>
      redis.ask(async (link) => {
        const heldMs = until - this.#now();
        if (heldMs > 0) await holdHost(link, this.#key, heldMs);
      }, signal),
    );
  }

  get intervalMs(): number {
    return Math.max(ownIntervalMs(this.#options.settings), this.#crawlDelayMs);
  }

  snapshot(): LimiterState {
    return { paidAt: this.#toWall(this.#paidAt), heldUntil: this.#toWall(this.#heldUntil) };
  }

  async #ask(link: RedisLink, caller: string, intervalMs: number, gapMs: number): Promise<TurnAnswer> {
    const doubtful = this.#doubt(link, intervalMs);
    if (doubtful !== undefined) return doubtful;
    const askedAt = this.#now();
    const answer = await takeTurn(link, this.#key, {
      caller,
      intervalMs,
      gapMs,
      burst: this.#crawlDelayMs > ownIntervalMs(this.#options.settings) ? 1 : this.#options.settings.burst,
      isKnown: this.#now() < this.#knownUntil,
      heldMs: Math.max(0, this.#heldUntil - this.#now()),
      leaseMs: this.#leaseMs,
    });
    this.#knownUntil = this.#now() + BUCKET_KEPT_MS;
    if (answer.heldMs > 0) this.#heldUntil = Math.max(this.#heldUntil, askedAt + answer.heldMs);
    // Redis may have been restarted before it answered.
    const late = this.#doubt(link, intervalMs);
    if (late !== undefined && answer.isGranted) await endTurn(link, this.#key, caller, 'back', gapMs, this.#leaseMs);
    return late ?? answer;
  }

  /** A Redis that was restarted may have an old state: until now somebody may have left whom it knows nothing of. */
  #doubt({ connections }: RedisLink, intervalMs: number): TurnAnswer | undefined {
    if (connections !== this.#connections) {
      if (this.#connections > 0) this.#doubtUntil = this.#now() + intervalMs;
      this.#connections = connections;
    }
    const waitMs = Math.ceil(this.#doubtUntil - this.#now());
    return waitMs > 0 ? { isGranted: false, waitMs, heldMs: 0 } : undefined;
  }

  /** It is believed to be ours for a lease from when it was asked for, and not for as long as Redis does. */
  #turn(caller: string, gapMs: number, askedAt: Moment, release: () => void): Turn {
    const ended = new AbortController();
    let believed = askedAt;
    this.#keep(caller, gapMs, ended.signal, (keptAt) => {
      believed = keptAt;
    });
    const end = (how: 'left' | 'back'): boolean => {
      if (ended.signal.aborted) return false;
      ended.abort('ended');
      if (how === 'left') this.#paidAt = this.#now() + gapMs;
      this.#end(caller, how, gapMs);
      release();
      return how === 'left';
    };
    return {
      leave: () => end(this.#isWithinLease(believed) ? 'left' : 'back'),
      giveBack: () => void end('back'),
    };
  }

  #end(caller: string, how: 'left' | 'back', gapMs: number): void {
    const { redis } = this.#options;
    void redis.soon((signal) =>
      redis.ask((link) => endTurn(link, this.#key, caller, how, gapMs, this.#leaseMs), signal),
    );
  }

  /** A connection may be slow to open. `onKept` hears when it was asked for that Redis has kept. */
  #keep(caller: string, gapMs: number, ended: AbortSignal, onKept: (askedAt: Moment) => void): void {
    const { redis } = this.#options;
    void redis.soon(async (closing) => {
      const signal = AbortSignal.any([ended, closing]);
      for (;;) {
        await redis.clock.sleep(this.#leaseMs / 3, signal);
        const askedAt = this.#moment();
        const isKept = await redis.askOnce((link) => endTurn(link, this.#key, caller, 'kept', gapMs, this.#leaseMs));
        if (isKept) onKept(askedAt);
      }
    });
  }

  #moment(): Moment {
    return { wall: this.#options.redis.clock.now(), monotonic: this.#now() };
  }

  /** By either clock: one stands still while the machine sleeps, the other may be set back. */
  #isWithinLease({ wall, monotonic }: Moment): boolean {
    const now = this.#moment();
    return Math.max(now.wall - wall, now.monotonic - monotonic) < this.#leaseMs;
  }

  #now(): number {
    return this.#options.redis.clock.monotonic();
  }

  #toWall(monotonic: number): Instant {
    return Math.ceil(Math.max(0, monotonic - this.#now() + this.#options.redis.clock.now()));
  }
}

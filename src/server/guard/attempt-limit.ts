// Counts wrong tokens by a key, such as an address: so many in a stretch of time are free. It only counts; what a caller
// with too many gets is decided elsewhere. The number of keys is bounded.

import type { Clock } from '../../platform/clock.ts';

export interface AttemptLimitOptions {
  /** Wrong attempts that are free. Default 5. */
  readonly most?: number;
  /** In this time. Default 60,000 ms. */
  readonly withinMs?: number;
}

/** Beyond this many keys the oldest are forgotten: memory stays bounded whoever calls. */
const MOST_KEYS = 10_000;
/** Times that are kept of a key. More than that changes nothing. */
const MOST_TIMES = 32;

export interface Excess {
  /** Attempts beyond those that are free, in the time that counts. */
  readonly count: number;
  /** Until one is free again, in ms. */
  readonly waitMs: number;
}

export class AttemptLimit {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #withinMs: number;
  readonly #failures = new Map<string, readonly number[]>();

  constructor(clock: Clock, { most = 5, withinMs = 60_000 }: AttemptLimitOptions = {}) {
    this.#clock = clock;
    this.#most = most;
    this.#withinMs = withinMs;
  }

  /** Counts a wrong attempt, and says by how much there are too many. */
  failed(key: string): Excess {
    const now = this.#clock.monotonic();
    const recent = (this.#failures.get(key) ?? []).filter((at) => at > now - this.#withinMs);
    const times = [...recent, now].slice(-MOST_TIMES);
    this.#failures.delete(key);
    this.#failures.set(key, times);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MOST_KEYS && oldest !== undefined) this.#failures.delete(oldest);
    const count = Math.max(0, times.length - this.#most);
    const first = times[times.length - this.#most];
    return { count, waitMs: count === 0 || first === undefined ? 0 : first + this.#withinMs - now };
  }
}

// How often an address may be wrong about the token: so many times in a stretch of time, then it has to wait.

import type { Clock } from '../../platform/clock.ts';

export interface AttemptLimitOptions {
  /** Wrong attempts that are heard. Default 5. */
  readonly most?: number;
  /** In this time. Default 60,000 ms. */
  readonly withinMs?: number;
}

/** Beyond this many addresses the oldest are forgotten: memory stays bounded whoever calls. */
const MOST_ADDRESSES = 10_000;

export class AttemptLimit {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #withinMs: number;
  readonly #failures = new Map<string, number[]>();

  constructor(clock: Clock, { most = 5, withinMs = 60_000 }: AttemptLimitOptions = {}) {
    this.#clock = clock;
    this.#most = most;
    this.#withinMs = withinMs;
  }

  /** For how long an address has to wait, in ms; 0 when it may try. */
  waitMs(address: string): number {
    const recent = this.#recent(address);
    const first = recent[recent.length - this.#most];
    return first === undefined ? 0 : first + this.#withinMs - this.#clock.monotonic();
  }

  failed(address: string): void {
    const recent = [...this.#recent(address), this.#clock.monotonic()].slice(-this.#most);
    this.#failures.delete(address);
    this.#failures.set(address, recent);
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MOST_ADDRESSES && oldest !== undefined) this.#failures.delete(oldest);
  }

  succeeded(address: string): void {
    this.#failures.delete(address);
  }

  #recent(address: string): number[] {
    const since = this.#clock.monotonic() - this.#withinMs;
    return (this.#failures.get(address) ?? []).filter((at) => at > since);
  }
}

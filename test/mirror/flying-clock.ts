// A clock on which nobody waits: time passes as it does, and every sleep is over at once, its length added.

import type { Clock, Instant } from '../../src/platform/clock.ts';

export class FlyingClock implements Clock {
  /** What was slept, in order. */
  readonly sleeps: number[] = [];
  #skippedMs = 0;

  now(): Instant {
    return Math.trunc(Date.now() + this.#skippedMs);
  }

  monotonic(): number {
    return performance.now() + this.#skippedMs;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    this.sleeps.push(ms);
    this.#skippedMs += Math.max(0, ms);
    await new Promise<void>((resolve) => setImmediate(resolve));
    signal?.throwIfAborted();
  }
}

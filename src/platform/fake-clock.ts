// A clock that stands still until it is told to move. Sleepers wake in the order of their deadlines, and everything
// they do in consequence runs before the next one wakes.

import type { Clock, Instant } from './clock.ts';
import { onAbort } from './on-abort.ts';

interface Sleeper {
  readonly at: Instant;
  readonly wake: () => void;
}

export class FakeClock implements Clock {
  #now: Instant;
  readonly #start: Instant;
  #sleepers: Sleeper[] = [];

  constructor(start: Instant = Date.UTC(2026, 0, 1)) {
    this.#now = start;
    this.#start = start;
  }

  now(): Instant {
    return this.#now;
  }

  monotonic(): number {
    return this.#now - this.#start;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const sleeper: Sleeper = {
        at: this.#now + Math.max(0, ms),
        wake: () => {
          stopListening?.();
          resolve();
        },
      };
      const stopListening =
        signal &&
        onAbort(signal, () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          reject(signal.reason);
        });
      this.#sleepers.push(sleeper);
    });
  }

  /** How many sleepers are waiting. */
  get waiting(): number {
    return this.#sleepers.length;
  }

  /** Moves time forward by `ms`, waking every sleeper whose deadline is reached, earliest first. */
  async advance(ms: number): Promise<void> {
    const target = this.#now + ms;
    await settle();
    for (;;) {
      const next = this.#earliest();
      if (next === undefined || next.at > target) break;
      this.#now = Math.max(this.#now, next.at);
      this.#sleepers = this.#sleepers.filter((other) => other !== next);
      next.wake();
      await settle();
    }
    this.#now = target;
  }

  /** Jumps to the earliest deadline and wakes that sleeper. False when nobody is waiting. */
  async advanceToNext(): Promise<boolean> {
    await settle();
    const next = this.#earliest();
    if (next === undefined) return false;
    await this.advance(Math.max(0, next.at - this.#now));
    return true;
  }

  #earliest(): Sleeper | undefined {
    return this.#sleepers.reduce<Sleeper | undefined>(
      (best, sleeper) => (best === undefined || sleeper.at < best.at ? sleeper : best),
      undefined,
    );
  }
}

/** Lets promise reactions and immediates that are already due run to their end. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

// The only source of time. Everything that waits or stamps takes a Clock, so that tests can own the hours.

import { onAbort } from './on-abort.ts';

/** Milliseconds since the Unix epoch. */
export type Instant = number;

export interface Clock {
  /** Wall-clock time. */
  now(): Instant;
  /** Time that never runs backwards, for measuring durations. Unrelated to `now`. */
  monotonic(): number;
  /**
   * Resolves after `ms` milliseconds, or rejects with the signal's reason as soon as it aborts.
   * A negative or zero wait resolves on the next turn of the event loop.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

class SystemClock implements Clock {
  now(): Instant {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    let left = ms;
    do {
      const part = Math.min(left, LONGEST_TIMER_MS);
      await timer(part, signal);
      left -= part;
    } while (left > 0);
  }
}

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    if (signal === undefined) {
      setTimeout(resolve, ms);
      return;
    }
    const handle = setTimeout(() => {
      stopListening();
      resolve();
    }, ms);
    const stopListening = onAbort(signal, () => {
      clearTimeout(handle);
      reject(signal.reason);
    });
  });
}

export const systemClock: Clock = new SystemClock();

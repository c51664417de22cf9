// One holder at a time, in the order of asking. Who is aborted while waiting leaves the line and is passed over.

import { onAbort } from '../../platform/on-abort.ts';

interface Waiter {
  readonly enter: () => void;
}

export class FairLock {
  #held = false;
  readonly #line = new Set<Waiter>();

  /** Resolves when it is the caller's turn, who must then `release`. Rejects with the signal's reason on abort. */
  acquire(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (!this.#held) {
      this.#held = true;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        enter: () => {
          stopListening();
          resolve();
        },
      };
      this.#line.add(waiter);
      const stopListening = onAbort(signal, () => {
        this.#line.delete(waiter);
        reject(signal.reason);
      });
    });
  }

  /** Hands the lock to the next in line. */
  release(): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#held = false;
      return;
    }
    this.#line.delete(next);
    next.enter();
  }

  /** How many wait for their turn, the holder not counted. */
  get waiting(): number {
    return this.#line.size;
  }
}

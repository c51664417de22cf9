// So many pages at once and no more; who waits is served in the order of asking.

import { onAbort } from '../../platform/on-abort.ts';

export class PageSlots {
  readonly #line = new Set<() => void>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Resolves when a slot is the caller's, who must then `release` it. Rejects with the signal's reason on abort. */
  acquire(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const enter = () => {
        stopListening();
        resolve();
      };
      this.#line.add(enter);
      const stopListening = onAbort(signal, () => {
        this.#line.delete(enter);
        reject(signal.reason);
      });
    });
  }

  release(): void {
    const [next] = this.#line;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#line.delete(next);
    next();
  }
}

// Does something a moment after it was asked for, however often it was: for what must not be lost with the process and yet is
// too small to be written each time.

import type { Clock } from '../platform/clock.ts';

export const SOON_MS = 100;

export class Soon {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #work: () => Promise<void>;
  #isComing = false;

  /** What `work` rejects with is its own affair. Nothing more is done when `signal` fires. */
  constructor(clock: Clock, signal: AbortSignal, work: () => Promise<void>) {
    this.#clock = clock;
    this.#signal = signal;
    this.#work = work;
  }

  readonly ask = (): void => {
    if (this.#isComing || this.#signal.aborted) return;
    this.#isComing = true;
    this.#clock.sleep(SOON_MS, this.#signal).then(
      () => {
        this.#isComing = false;
        return this.#work();
      },
      () => {}, // It is over.
    );
  };
}

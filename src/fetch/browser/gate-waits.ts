// How long a page has waited for our own gates, which is no time that its site took; and whether it does nothing else now.

import type { Clock } from '../../platform/clock.ts';

/** A page that waits for less is not worth a change of places. */
const DOZES_AFTER_MS = 250;

export interface Dozing {
  /** The page only waits. */
  doze(): void;
  /** It is at work again. */
  wake(): void;
}

export class GateWaits {
  readonly #clock: Clock;
  readonly #dozing: Dozing | undefined;
  #waiting = 0;
  #underWay = 0;
  #since = 0;
  #waitedMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock, dozing: Dozing | undefined) {
    this.#clock = clock;
    this.#dozing = dozing;
  }

  /** Whether any request waits. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** For how long any request has waited so far. */
  get waitedMs(): number {
    return this.#waitedMs + (this.isWaiting ? this.#clock.monotonic() - this.#since : 0);
  }

  /** `work` waits at the gates. */
  async wait<T>(work: () => Promise<T>): Promise<T> {
    if (!this.isWaiting) this.#since = this.#clock.monotonic();
    this.#change(1, 0);
    try {
      return await work();
    } finally {
      const { waitedMs } = this;
      this.#change(-1, 0);
      if (!this.isWaiting) this.#waitedMs = waitedMs;
    }
  }

  /** A request is on its way, until what this gives is called. Calling that again is fine. */
  begin(): () => void {
    this.#change(0, 1);
    let isOver = false;
    return () => {
      if (!isOver) this.#change(0, -1);
      isOver = true;
    };
  }

  /** The page is over. */
  end(): void {
    clearTimeout(this.#timer);
  }

  #change(waiting: number, underWay: number): void {
    this.#waiting += waiting;
    this.#underWay += underWay;
    const dozes = this.isWaiting && this.#underWay === 0;
    if (!dozes) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#dozing?.wake();
    } else {
      this.#timer ??= setTimeout(() => this.#dozing?.doze(), DOZES_AFTER_MS);
    }
  }
}

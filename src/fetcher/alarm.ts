// A wait that can be cut short. An alarm that rings while nobody waits ends the next wait at once, so none is missed.

import type { Clock } from '../platform/clock.ts';

/** A reason of its own, since the one that is made otherwise costs more than the wait. */
const RUNG = 'rung';

export class Alarm {
  readonly #clock: Clock;
  #bell = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ring(): void {
    this.#bell.abort(RUNG);
  }

  /** For one caller at a time. */
  async wait(ms: number): Promise<void> {
    // Only the bell rejects it.
    await this.#clock.sleep(ms, this.#bell.signal).catch(() => {});
    if (this.#bell.signal.aborted) this.#bell = new AbortController();
  }
}

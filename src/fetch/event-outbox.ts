// What fetching has to tell, until somebody takes it to where it is kept.

import type { FetchEvent } from './fetch-memory.ts';

export class EventOutbox {
  #events: FetchEvent[] = [];
  #onEvent = () => {};

  /** `onEvent` is told that there is something to take, again and again. */
  watch(onEvent: () => void): void {
    this.#onEvent = onEvent;
  }

  readonly add = (event: FetchEvent): void => {
    this.#events.push(event);
    this.#onEvent();
  };

  /** What was added since the last call, in order. */
  take(): readonly FetchEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

// One piece of work for any number of callers that want the same. A caller's abort frees that caller only; the work
// itself is aborted when nobody waits for it any more, and whoever asks after that starts it anew.

import { unlessAborted } from './unless-aborted.ts';

interface Flight<T> {
  readonly result: Promise<T>;
  /** Resolves when the work has ended, well or not. */
  readonly ended: Promise<void>;
  readonly controller: AbortController;
  callers: number;
}

export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  /** The result of the work under way for `key`, else of `work`, which gets a signal of its own. */
  async run(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    let flight = this.#flights.get(key);
    // Work that was given up is let come to its end first: there are never two at once.
    while (flight?.controller.signal.aborted) {
      await unlessAborted(flight.ended, signal);
      flight = this.#flights.get(key);
    }
    flight ??= this.#start(key, work);
    flight.callers++;
    try {
      return await unlessAborted(flight.result, signal);
    } finally {
      flight.callers--;
      if (flight.callers === 0 && this.#flights.get(key) === flight) flight.controller.abort(signal.reason);
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const result = work(controller.signal);
    const end = () => void this.#flights.delete(key);
    const flight: Flight<T> = { result, ended: result.then(end, end), controller, callers: 0 };
    this.#flights.set(key, flight);
    return flight;
  }
}

// A note as a value that processes change in turn.

import type { Clock } from '../../platform/clock.ts';
import type { Reading, SharedValue } from '../politeness/shared-value.ts';
import { type NotedWorld, Untold, WatchedNote } from './notes.ts';

const never = new AbortController().signal;

export class NotedValue implements SharedValue {
  readonly clock: Clock;
  readonly #note: WatchedNote;
  readonly #untold = new Untold();

  constructor(world: NotedWorld, name: string) {
    this.clock = world.clock;
    this.#note = new WatchedNote(world, name);
  }

  /** Rejects with what went wrong before, where nobody waited. */
  async read(signal: AbortSignal): Promise<Reading> {
    signal.throwIfAborted();
    this.#untold.tell();
    return this.#reading(() => this.#note.text);
  }

  async readOnce(): Promise<Reading | undefined> {
    try {
      return this.#untold.isThere ? undefined : this.#reading(() => this.#note.text);
    } catch {
      return undefined; // The next to wait is told.
    }
  }

  async replace(last: string | undefined, next: string): Promise<Reading> {
    return this.#reading(() => this.#note.change((text) => (text === last ? next : undefined)));
  }

  async soon(work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    // What goes wrong with the note is told to the next who waits; else only a signal makes it fail.
    await work(never).catch(() => {});
  }

  #reading(look: () => string | undefined): Reading {
    try {
      return { text: look(), now: this.clock.now() };
    } catch (error) {
      this.#untold.keep(error);
      throw error;
    }
  }
}

// How processes that share a data directory, and so a machine and its clock, tell each other of hosts: by small notes, each
// read and changed in one step. The ledger keeps them.

import type { z } from 'zod';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Json } from '../../platform/json.ts';

export interface Notes {
  /** The note of that name; undefined when there is none. */
  read(name: string): string | undefined;
  /**
   * Replaces the note by what `decide` makes of it, while nobody else can change it. Undefined leaves it as it is. Gives what
   * is there afterwards.
   */
  change(name: string, decide: (text: string | undefined) => string | undefined): string | undefined;
  /** What is known of the robots.txt of an origin. */
  readRobots(origin: string): Json | undefined;
  saveRobots(origin: string, record: Json): void;
}

/** What every part of noted politeness needs. */
export interface NotedWorld {
  readonly notes: Notes;
  readonly clock: Clock;
  /** A name that no other process has. */
  readonly worker: string;
}

/** After how long what a process has taken (a turn, a probe, a question) is another's, when it has died. */
export const LEASE_MS = 3_000;

/** A note is not looked at more often, for a host may be asked thousands of times a second. */
const LOOK_MS = 10;

/** One note, for those who want to know it often and need not know it to the moment. */
export class WatchedNote {
  readonly #world: NotedWorld;
  readonly #name: string;
  #text: string | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(world: NotedWorld, name: string) {
    this.#world = world;
    this.#name = name;
  }

  /** As it is, or was a moment ago. */
  get text(): string | undefined {
    const now = this.#world.clock.monotonic();
    if (now - this.#lookedAt >= LOOK_MS) {
      this.#text = this.#world.notes.read(this.#name);
      this.#lookedAt = now;
    }
    return this.#text;
  }

  /** As it is. */
  latest(): string | undefined {
    this.#lookedAt = Number.NEGATIVE_INFINITY;
    return this.text;
  }

  change(decide: (text: string | undefined) => string | undefined): string | undefined {
    this.#text = this.#world.notes.change(this.#name, decide);
    return this.#text;
  }
}

/** What a note says; undefined when there is none, or none that can be read. */
export function readNote<T>(schema: z.ZodType<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** What went wrong where nobody waited for it: the next who waits is told, and after that it may go well again. */
export class Untold {
  #trouble: { readonly error: unknown } | undefined;

  get isThere(): boolean {
    return this.#trouble !== undefined;
  }

  keep(error: unknown): void {
    this.#trouble = { error };
  }

  /** Throws it. */
  tell(): void {
    const trouble = this.#trouble;
    this.#trouble = undefined;
    if (trouble !== undefined) throw trouble.error;
  }
}

/**
 * Calls `renew` again and again, until `ended` aborts. In real time: it is measured by those who watch from other processes. A
 * lease that cannot be renewed in time is lost, and that shows elsewhere.
 */
export function keepLease(ended: AbortSignal, renew: () => void): void {
  const keep = async () => {
    for (;;) {
      await systemClock.sleep(LEASE_MS / 5, ended);
      try {
        renew();
      } catch {
        // The next time may come early enough.
      }
    }
  };
  keep().catch(() => {});
}

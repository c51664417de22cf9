// The robots.txt of each origin, fetched once for all processes on one data directory. What one has found the others read, and
// while one asks for it the others wait.

import { z } from 'zod';
import type { RobotsRecord, RobotsStore } from '../robots/robots-store.ts';
import { readEntry, storeEntry } from '../stored-memory.ts';
import { keepLease, LEASE_MS, type NotedWorld, readNote } from './notes.ts';

const Lock = z.object({ holder: z.string(), until: z.number() });

/** How often those who wait look. */
const LOOK_MS = 100;

export class NotedRobots implements RobotsStore {
  readonly #world: NotedWorld;
  #questions = 0;

  constructor(world: NotedWorld) {
    this.#world = world;
  }

  async get(origin: string): Promise<RobotsRecord | undefined> {
    const stored = this.#world.notes.readRobots(origin);
    return stored === undefined ? undefined : readEntry(stored);
  }

  async set(origin: string, record: RobotsRecord): Promise<void> {
    this.#world.notes.saveRobots(origin, storeEntry(record));
  }

  async alone<T>(origin: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { clock, worker } = this.#world;
    const holder = `${worker}:${++this.#questions}`;
    while (!this.#claim(origin, holder)) await clock.sleep(LOOK_MS, signal);
    const ended = new AbortController();
    keepLease(ended.signal, () => void this.#claim(origin, holder));
    try {
      return await work();
    } finally {
      ended.abort('ended');
      this.#claim(origin, holder, 0);
    }
  }

  /** Whether it is the holder's, whether new or renewed. One that is claimed for no time is free again. */
  #claim(origin: string, holder: string, leaseMs = LEASE_MS): boolean {
    let isOurs = false;
    this.#world.notes.change(`robots:${origin}`, (text) => {
      // Only now, for another may have claimed it while we waited for the note.
      const now = this.#world.clock.now();
      const lock = readNote(Lock, text);
      // One that ends later than it can is of a clock that was set back since.
      const isFree = lock === undefined || lock.until <= now || lock.until > now + LEASE_MS;
      isOurs = isFree || lock.holder === holder;
      return isOurs ? JSON.stringify({ holder, until: now + leaseMs }) : undefined;
    });
    return isOurs;
  }
}

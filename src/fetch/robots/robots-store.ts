// What is known of each origin's robots.txt, kept between requests and, where the store is a lasting one, between runs.

import type { Instant } from '../../platform/clock.ts';

/** What asking for robots.txt came to. `reason` says it in words: `HTTP 404`, `connection refused`. */
export type RobotsRecord =
  | { readonly kind: 'found'; readonly text: string; readonly fetchedAt: Instant; readonly reason: string }
  /** There is none that can be had: 4xx, or too many redirects. */
  | { readonly kind: 'unavailable'; readonly fetchedAt: Instant; readonly reason: string }
  /** It could not be asked for: 5xx, 429 or no answer. `text` is the last copy that was found, if there was one. */
  | {
      readonly kind: 'unreachable';
      readonly text: string | undefined;
      readonly fetchedAt: Instant;
      readonly reason: string;
    };

export interface RobotsStore {
  /** The latest record of an origin (`https://court.example`), however old. */
  get(origin: string): Promise<RobotsRecord | undefined>;
  /** Replaces the record of an origin. */
  set(origin: string, record: RobotsRecord): Promise<void>;
  /**
   * Runs `work` while no other process that shares the store does so for this origin, and gives its result. Within a
   * process the callers see to it themselves. Rejects with the signal's reason on abort.
   */
  alone<T>(origin: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** Keeps every record for as long as the process lives. */
export class MemoryRobotsStore implements RobotsStore {
  readonly #records = new Map<string, RobotsRecord>();

  async get(origin: string): Promise<RobotsRecord | undefined> {
    return this.#records.get(origin);
  }

  async set(origin: string, record: RobotsRecord): Promise<void> {
    this.#records.set(origin, record);
  }

  alone<T>(_origin: string, _signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return work();
  }
}

// What the fetcher stands on: the same promises on SQLite and on Redis, kept by one conformance suite.

import type { DeadLetters } from './dead-letters.ts';
import type { LabelledHosts } from './labelled-hosts.ts';
import type { Outbox } from './outbox.ts';
import type { PageCache } from './page-cache.ts';
import type { WorkQueue } from './work-queue.ts';

export interface FetcherBackend {
  readonly queue: WorkQueue;
  readonly cache: PageCache;
  readonly outbox: Outbox;
  readonly deadLetters: DeadLetters;
  readonly labelledHosts: LabelledHosts;
  /**
   * Rejects with the reason when it cannot be worked with at this moment. `thorough` tries every kind of change, `quick` only
   * whether changes are taken at all.
   */
  check(how: 'quick' | 'thorough'): Promise<void>;
  /** Twice is fine. Leases stay as they are: give back what is held before. */
  close(): Promise<void>;
}

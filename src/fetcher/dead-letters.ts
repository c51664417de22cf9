// URLs that were given up, with the reason. One entry is one line: JSON, or the plain URL that other programs push.

import type { Instant } from '../platform/clock.ts';
import type { DeadLetter } from './dead-letter.ts';

/** All that is given must fit; nothing given means every dead letter. */
export interface DeadLetterFilter {
  readonly reason?: string;
  /** As `URL.host` gives it. */
  readonly host?: string;
}

export interface DeadLetters {
  size(): Promise<number>;
  /** Oldest first. */
  list(filter?: DeadLetterFilter): AsyncIterable<DeadLetter>;
  /** Puts the URLs back to the end of the queue. Gives how many. A URL is never in neither place. */
  requeue(filter: DeadLetterFilter): Promise<number>;
  /** Gives how many were removed. */
  drop(filter: DeadLetterFilter): Promise<number>;
}

/** What is known when a URL is given up. */
export interface DeadLetterFacts {
  readonly url: string;
  readonly reason: string;
  readonly status: number | undefined;
  readonly attempts: number;
  /** When the worker was given the URL. */
  readonly first: Instant;
  readonly last: Instant;
}

// A walk over the start pages of a site, before it is a run.

import type { RunId } from '../ledger/run.ts';

/** How far one start page has been walked. */
export interface PaginationState {
  readonly startPageUrl: string;
  /** The items found so far, in the order of the list. */
  readonly collectedUrls: readonly string[];
  readonly failureCount: number;
  /** The latest failures, oldest first; at most a hundred. */
  readonly failureHistory: readonly FailedPagination[];
  /** The walk ran to its end. That says nothing about what it found. */
  readonly completed: boolean;
}

/**
 * What changes of a start page. `status` is another way to say `completed`: `completed` is true, `pending`, `paginating` and
 * `failed` are false.
 */
export type PaginationUpdate = Partial<Omit<PaginationState, 'startPageUrl'>> & {
  readonly status?: 'pending' | 'paginating' | 'completed' | 'failed';
};

/** A list page that could not be had, by which way, and why. */
export interface FailedPagination {
  readonly timestamp: Date;
  /** Without user and password; empty when there was none. */
  readonly proxy: string;
  readonly error: string;
}

/** What is walked and not yet committed. */
export interface PartialScrapeRun {
  readonly siteId: string;
  /** By start page, in the order of the site. */
  readonly paginationStates: ReadonlyMap<string, PaginationState>;
  /** Over all start pages; a URL that two of them have counts twice. */
  readonly totalUrlsCollected: number;
  readonly createdAt: Date;
  /** A partial run that was committed is a run, and no partial run any more. */
  readonly committedToDb: false;
}

/** What a commit made of a partial run. */
export interface ScrapeRun {
  readonly id: RunId;
  readonly siteId: string;
  /** Different items. */
  readonly items: number;
}

// URLs to be fetched, handed out under a lease. A lease belongs to (worker, token); when it ends without an outcome the URL goes
// back to the end of the queue, and what its former holder brings later is rejected. So every URL has exactly one outcome:
// a stored page, a dead letter, or an acknowledgement without either.

import type { Instant } from '../platform/clock.ts';
import type { MalformedReason } from './queued-url.ts';
import type { FetchedPage } from './webpage-event.ts';

export interface Lease {
  /** The item as it was queued; of a dead letter that was moved back, its URL. */
  readonly url: string;
  /** As `URL.host` gives it. */
  readonly host: string;
  readonly worker: string;
  /** No two leases ever have the same. */
  readonly token: string;
  /** When it was handed out, by the worker's clock. */
  readonly leasedAt: Instant;
}

export interface LeaseRequest {
  /** Unique among all processes that ever work on the queue. */
  readonly worker: string;
  /** How long the worker has before the URL is given to another, unless it extends. */
  readonly leaseMs: number;
  /** Hosts whose URLs are not wanted now: the breaker is open, or enough of them are in hand. They keep their order. */
  readonly except?: Iterable<string>;
  /** Told of every malformed item on the way that became a dead letter. */
  readonly onMalformed?: (item: string, reason: MalformedReason) => void;
}

/** Why a URL is given up. */
export interface Burial {
  /** A short code in snake case, by which dead letters can be requeued. */
  readonly reason: string;
  /** The last answer's, if there was one. */
  readonly status: number | undefined;
  readonly attempts: number;
}

/** `lost`: the lease has ended, nothing was changed. `outbox_full`: nothing was changed, and the lease still holds. */
export type StoreResult = 'stored' | 'lost' | 'outbox_full';

export interface QueueSize {
  /** Not handed out. */
  readonly waiting: number;
  /** Handed out and without an outcome. */
  readonly leased: number;
}

export interface WorkQueue {
  /** Appends to the end. Nothing is checked or dropped: the same URL twice is fetched twice. */
  enqueue(urls: readonly string[]): Promise<void>;
  /**
   * The next URL, or undefined when none is wanted or left. Leases that have ended are returned to the queue first, and
   * malformed items on the way become dead letters.
   */
  lease(request: LeaseRequest): Promise<Lease | undefined>;
  /** Gives the leases `leaseMs` from now. Gives those that are lost. */
  extend(leases: readonly Lease[], leaseMs: number): Promise<readonly Lease[]>;
  /** One step: the page is in the cache, its event in the outbox, and the URL done. */
  store(lease: Lease, page: FetchedPage): Promise<StoreResult>;
  /** Done without a page: robots.txt forbids it. False when the lease is lost. */
  acknowledge(lease: Lease): Promise<boolean>;
  /** Back to the end of the queue, untouched. False when the lease is lost. */
  giveBack(lease: Lease): Promise<boolean>;
  /** Done for good: a dead letter. False when the lease is lost. */
  bury(lease: Lease, burial: Burial): Promise<boolean>;
  /** Returns URLs whose lease has ended to the end of the queue. Gives how many. `lease` does so too. */
  reap(): Promise<number>;
  size(): Promise<QueueSize>;
}

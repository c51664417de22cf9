// The queue in the ledger. Every step is one transaction, so a kill leaves it done or not begun; rows of a dead worker return
// when their deadline has passed. A token is the place of a row, which is handed out once and never again.

import type { FetcherLedger } from '../../ledger/fetcher/fetcher-ledger.ts';
import type { Clock } from '../../platform/clock.ts';
import { type DeadLetter, deadLetter, deadLetterLine } from '../dead-letter.ts';
import { readQueuedUrl } from '../queued-url.ts';
import type { FetchedPage } from '../webpage-event.ts';
import type { Burial, Lease, LeaseRequest, QueueSize, StoreResult, WorkQueue } from '../work-queue.ts';

export interface EmbeddedWorkQueueOptions {
  readonly clock: Clock;
  readonly outboxLimit: number;
}

export class EmbeddedWorkQueue implements WorkQueue {
  readonly #ledger: FetcherLedger;
  readonly #clock: Clock;
  readonly #outboxLimit: number;

  constructor(ledger: FetcherLedger, { clock, outboxLimit }: EmbeddedWorkQueueOptions) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.#outboxLimit = outboxLimit;
  }

  async enqueue(urls: readonly string[]): Promise<void> {
    this.#ledger.transaction(() => {
      for (const url of urls) this.#ledger.queue.append(url, hostOf(url));
    });
  }

  async lease({ worker, leaseMs, except, onMalformed }: LeaseRequest): Promise<Lease | undefined> {
    const unwanted = new Set(except);
    const { queue } = this.#ledger;
    return this.#ledger.transaction(() => {
      const now = this.#clock.now();
      queue.reap(now);
      for (;;) {
        const next = queue.handOut(worker, now + leaseMs, unwanted);
        if (next === undefined) return undefined;
        const read = readQueuedUrl(next.item);
        const host = read.kind === 'url' ? read.host : next.host;
        const lease = { url: read.url, host, worker, token: `${next.place}`, leasedAt: now };
        if (read.kind === 'url') return lease;
        this.#bury(lease, { reason: read.reason, status: undefined, attempts: 0 });
        onMalformed?.(lease.url, read.reason);
      }
    });
  }

  async extend(leases: readonly Lease[], leaseMs: number): Promise<readonly Lease[]> {
    return this.#ledger.transaction(() => {
      const deadline = this.#clock.now() + leaseMs;
      return leases.filter(({ token, worker }) => !this.#ledger.queue.extend(Number(token), worker, deadline));
    });
  }

  async store(lease: Lease, { event, body }: FetchedPage): Promise<StoreResult> {
    const { outbox, cache } = this.#ledger;
    return this.#ledger.transaction(() => {
      // Asked first, since a full outbox must leave the lease as it is; a lost lease changes nothing either way.
      if (outbox.isFull(this.#outboxLimit)) return this.#holds(lease) ? 'outbox_full' : 'lost';
      if (!this.#end(lease)) return 'lost';
      cache.set(event.cache_key, body, undefined);
      outbox.append(event.event_id, event.cache_key, JSON.stringify(event));
      return 'stored';
    });
  }

  async acknowledge(lease: Lease): Promise<boolean> {
    return this.#ledger.transaction(() => this.#end(lease));
  }

  async giveBack(lease: Lease): Promise<boolean> {
    return this.#ledger.transaction(() => {
      if (!this.#end(lease)) return false;
      this.#ledger.queue.append(lease.url, lease.host);
      return true;
    });
  }

  async bury(lease: Lease, burial: Burial): Promise<boolean> {
    return this.#ledger.transaction(() => this.#bury(lease, burial));
  }

  async reap(): Promise<number> {
    return this.#ledger.transaction(() => this.#ledger.queue.reap(this.#clock.now()));
  }

  async size(): Promise<QueueSize> {
    return this.#ledger.queue.size();
  }

  #end({ token, worker }: Lease): boolean {
    return this.#ledger.queue.end(Number(token), worker) !== undefined;
  }

  #holds({ token, worker }: Lease): boolean {
    return this.#ledger.queue.isHeld(Number(token), worker);
  }

  #bury(lease: Lease, burial: Burial): boolean {
    if (!this.#end(lease)) return false;
    const facts = { url: lease.url, ...burial, first: lease.leasedAt, last: this.#clock.now() };
    addDeadLetter(this.#ledger, deadLetter(facts));
    return true;
  }
}

export function addDeadLetter(ledger: FetcherLedger, letter: DeadLetter): void {
  const { url, reason } = letter;
  ledger.deadLetters.add({ url, reason, host: hostOf(url), line: deadLetterLine(letter) });
}

/** Empty for what cannot be fetched. */
export function hostOf(url: string): string {
  const read = readQueuedUrl(url);
  return read.kind === 'url' ? read.host : '';
}

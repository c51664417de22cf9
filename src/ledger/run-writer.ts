// The owner's hand on its run. Every method is one transaction that first proves ownership: what a former owner brings is
// rejected whole.

import type { Clock, Instant } from '../platform/clock.ts';
import { CountChanges } from './count-table.ts';
import type { RunStatus } from './health.ts';
import type { LedgerTables } from './ledger-tables.ts';
import type { ClaimedRequest, HostId, NewEvent, NewRequest, PageResult } from './page-result.ts';
import type { RunId } from './run.ts';
import type { FencingToken } from './run-ownership.ts';
import { summarise } from './summarise.ts';

/** How many requests a lane would like to be handed. */
export type Wanted = ReadonlyMap<HostId, number>;

export interface CommitResult {
  readonly claimed: readonly ClaimedRequest[];
  /** Hosts that got new work, with their names: lanes that may have been idle. */
  readonly fed: ReadonlyMap<HostId, string>;
  /** For hosts that asked for more than there was: when their next delayed request is due. */
  readonly nextDue: ReadonlyMap<HostId, Instant>;
  /** Requests that entered the queue less those that were settled. */
  readonly pendingChange: number;
}

export interface Commit {
  readonly results: readonly PageResult[];
  readonly wanted: Wanted;
}

export class RunWriter {
  readonly run: RunId;
  readonly #token: FencingToken;
  readonly #tables: LedgerTables;
  readonly #clock: Clock;

  constructor(run: RunId, token: FencingToken, tables: LedgerTables, clock: Clock) {
    this.run = run;
    this.#token = token;
    this.#tables = tables;
    this.#clock = clock;
  }

  /** Makes results of pages true, and hands out new work. */
  async commit({ results, wanted }: Commit): Promise<CommitResult> {
    return this.#asOwner((now) => {
      const changes = new CountChanges();
      const fed = new Map<HostId, string>();
      let pendingChange = 0;
      for (const result of results) pendingChange += this.#apply(result, changes, fed, now);
      this.#tables.counts.add(this.run, changes);
      const claimed: ClaimedRequest[] = [];
      const nextDue = new Map<HostId, Instant>();
      for (const [host, limit] of wanted) {
        const due = this.#tables.requests.nextDue(this.run, host);
        if (due !== undefined && due <= now) this.#tables.requests.promoteDue(this.run, host, now);
        const handed = this.#tables.requests.claim(this.run, host, limit);
        claimed.push(...handed);
        const later = handed.length < limit ? this.#tables.requests.nextDue(this.run, host) : undefined;
        if (later !== undefined) nextDue.set(host, later);
      }
      return { claimed, fed, nextDue, pendingChange };
    });
  }

  /** Adds the next requests of an entry. `yielded` counts all that were read of it so far. */
  async seed(
    entry: string,
    requests: readonly NewRequest[],
    yielded: number,
    finished: boolean,
  ): Promise<CommitResult> {
    return this.#asOwner(() => {
      const changes = new CountChanges();
      const fed = new Map<HostId, string>();
      let pendingChange = 0;
      for (const request of requests) if (this.#enqueue(request, undefined, changes, fed)) pendingChange++;
      this.#tables.counts.add(this.run, changes);
      this.#tables.seeds.advance(this.run, entry, yielded, finished);
      return { claimed: [], fed, nextDue: new Map(), pendingChange };
    });
  }

  /** Names a new archive segment for this owner's use alone. */
  async addSegment(): Promise<number> {
    return this.#asOwner(() => this.#tables.exchanges.addSegment(this.run));
  }

  async addEvent(event: NewEvent): Promise<void> {
    this.#asOwner((now) => this.#tables.events.add(this.run, undefined, event, now));
  }

  async heartbeat(activeMs: number): Promise<void> {
    this.#asOwner(() => this.#tables.runs.addActiveTime(this.run, activeMs));
  }

  /** Ends the run, judges its health, and gives it back. */
  async end(status: RunStatus, error: string | undefined, activeMs: number): Promise<void> {
    this.#asOwner((now) => {
      this.#tables.runs.addActiveTime(this.run, activeMs);
      this.#tables.runs.setStatus(this.run, status, undefined, error, now);
      const { health } = summarise(this.#tables, this.run);
      this.#tables.runs.setStatus(this.run, status, health, error, now);
      this.#tables.ownership.release(this.run, this.#token);
    });
  }

  /** Marks the run as running, and puts back what a former owner had in hand when it died. */
  async begin(): Promise<void> {
    this.#asOwner((now) => {
      this.#tables.runs.setStatus(this.run, 'running', undefined, undefined, now);
      this.#tables.requests.returnAllClaimed(this.run);
    });
  }

  #asOwner<T>(work: (now: Instant) => T): T {
    const now = this.#clock.now();
    try {
      return this.#tables.database.transaction(() => {
        this.#tables.ownership.assertOwner(this.run, this.#token, now);
        return work(now);
      });
    } catch (error) {
      this.#tables.hosts.forget();
      throw error;
    }
  }

  #apply(result: PageResult, changes: CountChanges, fed: Map<HostId, string>, now: Instant): number {
    const { request, settlement } = result;
    let pendingChange = 0;
    this.#tables.requests.settle(request.id, settlement);
    if (settlement.kind === 'settled') {
      pendingChange--;
      changes.add(request.hostId, 'pending', -1);
      changes.add(request.hostId, settlement.verdict, 1);
    }
    for (const [hop, exchange] of result.exchanges.entries()) this.#tables.exchanges.add(request.id, hop, exchange);
    for (const [ordinal, found] of result.records.entries()) {
      this.#tables.records.add(this.run, request.id, ordinal, found);
    }
    for (const child of result.children) if (this.#enqueue(child, result, changes, fed)) pendingChange++;
    for (const event of result.events) this.#tables.events.add(this.run, request.id, event, now);
    return pendingChange;
  }

  #enqueue(
    request: NewRequest,
    from: PageResult | undefined,
    changes: CountChanges,
    fed: Map<HostId, string>,
  ): boolean {
    const host = this.#tables.hosts.idOf(request.host);
    if (!this.#tables.requests.add(this.run, host, request, from?.request.id)) return false;
    changes.add(host, 'pending', 1);
    fed.set(host, request.host);
    return true;
  }
}

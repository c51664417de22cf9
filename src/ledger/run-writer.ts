// The owner's hand on its run. Every method is one transaction that first proves ownership: what a former owner brings is
// rejected whole.

import type { Clock, Instant } from '../platform/clock.ts';
import type { Json } from '../platform/json.ts';
import { thisProcess } from '../platform/process-identity.ts';
import { acceptLoss } from './accept-loss.ts';
import { CountChanges } from './count-table.ts';
import type { Durability } from './database.ts';
import type { ShortSegment } from './exchange-table.ts';
import { forgetAnswer } from './forget-answer.ts';
import type { RunStatus } from './health.ts';
import { InheritedVerdicts } from './inherited-verdicts.ts';
import { keepMemory } from './keep-memory.ts';
import type { LedgerTables } from './ledger-tables.ts';
import type { ClaimedRequest, HostId, NewEvent, NewProbe, NewRequest, PageResult, RequestId } from './page-result.ts';
import type { SettledProbe, StoredWalk } from './probe.ts';
import type { RunId } from './run.ts';
import type { FencingToken } from './run-ownership.ts';
import { summarise } from './summarise.ts';
import { type LostTail, takeBackLost } from './take-back-lost.ts';

/** How many requests a lane would like to be handed. */
export type Wanted = ReadonlyMap<HostId, number>;

export interface CommitResult {
  readonly claimed: readonly ClaimedRequest[];
  /** Hosts whose wish was answered, with whatever there was. */
  readonly served: ReadonlySet<HostId>;
  /** Hosts that got new work, and how much. */
  readonly queued: ReadonlyMap<HostId, { readonly host: string; readonly count: number }>;
  /** Ids of walks about which something is known now. */
  readonly probes: readonly SettledProbe[];
  /** For hosts that asked for more than there was: when their next delayed request is due. */
  readonly nextDue: ReadonlyMap<HostId, Instant>;
}

/** Up to where a segment is meant. */
export interface SegmentEnd {
  readonly segment: number;
  readonly end: number;
}

export interface Commit {
  readonly results: readonly PageResult[];
  /** Whether what they refer to in the archive is on the device. */
  readonly isSynced?: boolean;
  readonly wanted: Wanted;
  readonly memory?: UnsavedMemory | undefined;
}

/** What fetching should remember over a restart; only what changed. */
export interface UnsavedMemory {
  /** Cookies of the run's sessions by name. */
  readonly sessions: Json | undefined;
  /** What is known of the run's declared sessions: their values, which are stored here and nowhere else. */
  readonly opened?: Json | undefined;
  /** Breaker and rate by host. */
  readonly hosts: ReadonlyMap<string, Json>;
  /** robots.txt by origin. */
  readonly robots: ReadonlyMap<string, Json>;
  readonly events: readonly (Readonly<Record<string, Json>> & { readonly kind: string })[];
}

export class RunWriter {
  readonly run: RunId;
  readonly #token: FencingToken;
  readonly #tables: LedgerTables;
  readonly #clock: Clock;
  readonly #inherited: InheritedVerdicts;
  /** Up to here the time worked has been added to the run. */
  #countedUpTo: number;

  private constructor(run: RunId, token: FencingToken, tables: LedgerTables, clock: Clock) {
    this.run = run;
    this.#token = token;
    this.#tables = tables;
    this.#clock = clock;
    this.#countedUpTo = clock.monotonic();
    this.#inherited = new InheritedVerdicts(run, tables);
  }

  /**
   * Takes the run for this process, marks it as running, and puts back what a former owner had in hand when it died: all at
   * once, so that nobody sees a run that has an owner and is not running. Throws `run_owned`.
   */
  static take(run: RunId, tables: LedgerTables, clock: Clock): RunWriter {
    return tables.database.transaction(() => {
      const now = clock.now();
      const writer = new RunWriter(run, tables.ownership.take(run, thisProcess(), now), tables, clock);
      writer.#begin(now);
      return writer;
    });
  }

  /** Makes results of pages true, and hands out new work. */
  async commit({ results: given, isSynced = false, wanted, memory }: Commit): Promise<CommitResult> {
    return this.#asOwner((now) => {
      const results = given.map((result) => this.#inherited.overrule(result));
      this.#countTime();
      const changes = new CountChanges();
      const queued: Queued = new Map();
      const probes: SettledProbe[] = [];
      this.#tables.requests.settle(results);
      for (const result of results) {
        this.#apply(result, changes, queued, now);
        probes.push(...this.#inherited.settle(result));
      }
      for (const [segment, end] of segmentEnds(results)) {
        this.#tables.exchanges.growSegment(segment, end);
        if (isSynced) this.#tables.exchanges.syncSegment(this.run, segment, end);
      }
      this.#tables.counts.add(this.run, changes, now);
      keepMemory(this.#tables, this.run, memory, now);
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
      return { claimed, served: new Set(wanted.keys()), queued, nextDue, probes };
    });
  }

  /** Hands out one request of those that were set aside; undefined when there is none. */
  async takeSetAside(): Promise<ClaimedRequest | undefined> {
    return this.#asOwner(() => this.#tables.requests.claimSetAside(this.run));
  }

  /** Adds the next requests of an entry. `yielded` counts all that were read of it so far. */
  async seed(
    entry: string,
    requests: readonly NewRequest[],
    yielded: number,
    finished: boolean,
  ): Promise<CommitResult> {
    return this.#asOwner((now) => {
      const changes = new CountChanges();
      const queued: Queued = new Map();
      for (const request of requests) this.#enqueue(request, undefined, changes, queued);
      this.#tables.counts.add(this.run, changes, now);
      this.#tables.seeds.advance(this.run, entry, yielded, finished);
      return { claimed: [], served: new Set(), queued, nextDue: new Map(), probes: [] };
    });
  }

  /** Adds the next probes of a walk, which with them has come to where `walk` stands. */
  async ask(walk: StoredWalk, asked: readonly NewProbe[]): Promise<CommitResult> {
    return this.#asOwner((now) => {
      const changes = new CountChanges();
      const queued: Queued = new Map();
      const probes: SettledProbe[] = [];
      for (const { id, request } of asked) {
        const isNew = this.#enqueue(request, undefined, changes, queued);
        const fate = this.#tables.requests.fateOf(this.run, request.identity);
        if (fate === undefined) continue;
        const verdict = isNew ? undefined : this.#inherited.ask(walk, fate, changes);
        this.#tables.walks.ask(walk.id, id, fate.id, verdict);
        if (verdict !== undefined) probes.push({ walk: walk.id, id, verdict });
      }
      this.#tables.counts.add(this.run, changes, now);
      this.#tables.walks.advance(walk);
      return { claimed: [], served: new Set(), queued, nextDue: new Map(), probes };
    });
  }

  /** Names a new archive segment for this owner's use alone. */
  async addSegment(): Promise<number> {
    return this.#asOwner(() => this.#tables.exchanges.addSegment(this.run));
  }

  /** Says that the run's segments are on the device up to these ends. */
  async markSynced(segments: readonly SegmentEnd[]): Promise<void> {
    this.#asOwner(() => this.#markSynced(segments));
  }

  /**
   * Takes back what a power cut has taken from the archive: pages whose bytes are lost are in the queue again, as if they had
   * not been committed. Gives how many there are.
   */
  async takeBack(lost: readonly LostTail[]): Promise<number> {
    return this.#asOwner((now) => takeBackLost(this.#tables, this.run, lost, now));
  }

  /** Accepts that what these segments lack is lost. The requests whose pages that were are in the queue again. */
  async acceptLoss(short: readonly ShortSegment[]): Promise<void> {
    this.#asOwner((now) => acceptLoss(this.#tables, this.run, short, now));
  }

  async addEvent(event: NewEvent): Promise<void> {
    this.#asOwner((now) => this.#tables.events.add(this.run, undefined, event, now));
  }

  /** Shows other processes that this one is alive, and counts the time worked. */
  async heartbeat(memory: UnsavedMemory | undefined): Promise<void> {
    this.#asOwner((now) => {
      this.#countTime();
      keepMemory(this.#tables, this.run, memory, now);
    });
  }

  /** Ends the run, judges its health, and gives it back: on the device, as the segments are up to the ends given. */
  async end(status: RunStatus, error: string | undefined, synced: readonly SegmentEnd[] = []): Promise<void> {
    this.#asOwner((now) => {
      this.#markSynced(synced);
      this.#countTime();
      this.#tables.exchanges.bodies.write();
      this.#tables.exchanges.replaceLost();
      this.#tables.requests.returnAllClaimed(this.run);
      this.#tables.runs.setStatus(this.run, status, undefined, error, now);
      this.#tables.coverage.drop(this.run);
      const { health, coverage } = summarise(this.#tables, this.run);
      this.#tables.coverage.save(this.run, coverage);
      this.#tables.runs.setStatus(this.run, status, health, error, now);
      this.#tables.ownership.release(this.run, this.#token);
    }, 'power');
  }

  #markSynced(segments: readonly SegmentEnd[]): void {
    for (const { segment, end } of segments) this.#tables.exchanges.syncSegment(this.run, segment, end);
  }

  #begin(now: Instant): void {
    this.#tables.runs.setStatus(this.run, 'running', undefined, undefined, now);
    for (const id of this.#tables.requests.returnAfterDeath(this.run)) {
      this.#tables.events.add(this.run, id, { kind: 'set_aside', data: {} }, now);
    }
    this.#tables.exchanges.bodies.catchUp();
    this.#askAgain(now);
  }

  /** What was refused or never answered is no fact about the site: it is asked for once more. */
  #askAgain(now: Instant): void {
    const changes = new CountChanges();
    for (const reopened of this.#tables.requests.reopenUnanswered(this.run))
      forgetAnswer(this.#tables, reopened, changes);
    this.#tables.counts.add(this.run, changes, now);
  }

  #countTime(): void {
    const now = this.#clock.monotonic();
    this.#tables.runs.addActiveTime(this.run, now - this.#countedUpTo);
    this.#countedUpTo = now;
  }

  #asOwner<T>(work: (now: Instant) => T, durability?: Durability): T {
    const now = this.#clock.now();
    try {
      return this.#tables.database.transaction(() => {
        this.#tables.ownership.assertOwner(this.run, this.#token, now);
        return work(now);
      }, durability);
    } catch (error) {
      this.#tables.hosts.forget();
      this.#tables.requests.forget();
      this.#tables.exchanges.bodies.forget();
      throw error;
    }
  }

  #apply(result: PageResult, changes: CountChanges, queued: Queued, now: Instant): void {
    const { request, settlement } = result;
    if (settlement.kind === 'settled') {
      changes.add(request.hostId, 'pending', -1);
      changes.add(request.hostId, settlement.verdict, 1);
    }
    for (const [hop, exchange] of result.exchanges.entries()) this.#tables.exchanges.add(request.id, hop, exchange);
    for (const [ordinal, found] of result.records.entries()) {
      this.#tables.records.add(this.run, request.id, ordinal, found);
      changes.add(request.hostId, 'record', 1);
      if (found.errors !== undefined) changes.add(request.hostId, 'invalid', 1);
    }
    for (const child of result.children) this.#enqueue(child, request.id, changes, queued);
    for (const event of result.events) this.#tables.events.add(this.run, request.id, event, now);
  }

  /** False when the run has the request already. */
  #enqueue(request: NewRequest, parent: RequestId | undefined, changes: CountChanges, queued: Queued): boolean {
    const hostId = this.#tables.hosts.idOf(request.host);
    if (!this.#tables.requests.add(this.run, hostId, request, parent)) return false;
    changes.add(hostId, 'pending', 1);
    const known = queued.get(hostId);
    if (known === undefined) queued.set(hostId, { host: request.host, count: 1 });
    else known.count++;
    return true;
  }
}

type Queued = Map<HostId, { readonly host: string; count: number }>;

/** How far the exchanges of these pages reach into each archive segment. */
function segmentEnds(results: readonly PageResult[]): Map<number, number> {
  const ends = new Map<number, number>();
  for (const { exchanges } of results) {
    for (const { segment, responseOffset, responseLength } of exchanges) {
      ends.set(segment, Math.max(ends.get(segment) ?? 0, responseOffset + responseLength));
    }
  }
  return ends;
}

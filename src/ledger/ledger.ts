// The single source of truth. Small, coarse and asynchronous, so that another store can take SQLite's place: create a run,
// take it, commit through its writer, read what there is. Nothing outside this folder knows a table.

import { join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import type { Json } from '../platform/json.ts';
import type { ProcessIdentity } from '../platform/process-identity.ts';
import type { HostCounts } from './count-table.ts';
import { Database, type DatabaseOptions, type Durability } from './database.ts';
import type { StoredEvent } from './event-table.ts';
import type { HeldBody, RequestStart, ShortSegment, StoredExchange, UnsyncedSegment } from './exchange-table.ts';
import { type AcceptedLoss, acceptOpenLoss, findOpenLosses } from './fixity/open-losses.ts';
import { rebuildIndexes, recount } from './fixity/rebuild-indexes.ts';
import { RepairWriter } from './fixity/repair-writer.ts';
import { ScrubTable } from './fixity/scrub-table.ts';
import { encodeGapMap, type GapMap } from './gap-map.ts';
import { HostNotes } from './host-notes.ts';
import type { LearntOfHosts } from './host-table.ts';
import { holesBelow, type KnownSequence, knownSequences, stretchesOf } from './known-ids.ts';
import { LedgerTables } from './ledger-tables.ts';
import { MirrorLedger } from './mirror/mirror-ledger.ts';
import { MirrorTables } from './mirror/mirror-tables.ts';
import type { ClaimedRequest, ExchangeId, RequestId } from './page-result.ts';
import type { NewWalk, StoredWalk, WalkId } from './probe.ts';
import type { StoredRecord } from './record-table.ts';
import { reopenRequests, type WhichRequests } from './reopen-requests.ts';
import { Reports } from './reports/reports.ts';
import type { Problem, RequestFate } from './request-table.ts';
import type { NewRun, Run, RunId, RunSummary } from './run.ts';
import { RunWriter } from './run-writer.ts';
import type { Seed } from './seed-table.ts';
import { SiteLedger } from './sites/site-ledger.ts';
import { isUnreadable, unreadable } from './stored-json.ts';
import { runNotFound, summarise } from './summarise.ts';

export interface LedgerOptions extends DatabaseOptions {
  readonly clock: Clock;
}

/** The ledger's file within a data directory. */
export const LEDGER_FILE = 'ledger.sqlite';

/** Items that are named of those that are missing. */
const MOST_NAMED = 100;

export class Ledger {
  /** What is known of sites and their walks. */
  readonly sites: SiteLedger;
  /** What belongs to mirrors: versions of an index, cases, downloads. */
  readonly mirror: MirrorLedger;
  /** What is told to other processes that ask the same hosts. */
  readonly notes: HostNotes;
  /** How far the scrubber has come, and what it found. */
  readonly scrub: ScrubTable;
  /** What those who look ask for. */
  readonly reports: Reports;
  readonly #tables: LedgerTables;
  readonly #clock: Clock;

  private constructor(tables: LedgerTables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
    this.notes = new HostNotes(tables.database, tables.hosts);
    this.scrub = new ScrubTable(tables.database, tables.events);
    this.reports = new Reports(tables, clock);
    this.sites = new SiteLedger(tables, clock);
    this.mirror = new MirrorLedger(new MirrorTables(tables), clock);
  }

  static async open(dataDirectory: string, options: LedgerOptions): Promise<Ledger> {
    const database = Database.open(join(dataDirectory, LEDGER_FILE), options);
    return new Ledger(new LedgerTables(database), options.clock);
  }

  /** How safe every later commit is: that of the run it is for, as soon as its settings are known. `process` at first. */
  setDurability(durability: Durability): void {
    this.#tables.database.setDurability(durability);
  }

  /** From now on the log is copied into the file by `checkpoint` alone. */
  deferCheckpoints(): void {
    this.#tables.database.deferCheckpoints();
  }

  /** Whether it is time for `checkpoint`. */
  get needsCheckpoint(): boolean {
    return this.#tables.database.needsCheckpoint;
  }

  /** Makes what was committed last: it must be preceded by a sync of what that refers to. */
  checkpoint(): void {
    this.#tables.database.checkpoint();
  }

  /** Records a new run with the entries and the walks it begins from; a replay also with the items of its original. */
  async createRun(
    run: NewRun,
    seeds: readonly { entry: string; params: Json | undefined }[],
    walks: readonly NewWalk[] = [],
  ): Promise<RunId> {
    return this.#tables.database.transaction(() => {
      const id = this.#tables.runs.create(run, this.#clock.now());
      for (const { entry, params } of seeds) this.#tables.seeds.plan(id, entry, params);
      for (const walk of walks) this.#tables.walks.add(id, walk);
      if (run.replayOf !== undefined) this.#tables.sites.items.copy(run.replayOf, id);
      return id;
    });
  }

  /** Makes this process the run's owner. Throws `run_owned` when another one has it, `ledger_corrupt` for unreadable rows. */
  async takeRun(id: RunId): Promise<RunWriter> {
    for (const { speculator, partition } of this.#tables.walks.of(id)) {
      if (isUnreadable(partition)) throw unreadable(`partition of ${speculator} in run ${id}`);
    }
    return RunWriter.take(id, this.#tables, this.#clock);
  }

  /**
   * Puts requests that came to nothing back into the queue, and gives how many. The run is `interrupted` then. Throws
   * `run_owned` when a process works on it.
   */
  async reopen(id: RunId, which: WhichRequests): Promise<number> {
    return this.#tables.database.transaction(() => reopenRequests(this.#tables, id, which, this.#clock.now()));
  }

  /** Makes this process the run's owner, to repair its archive. Throws `run_owned` when another one has it. */
  async takeForRepair(id: RunId): Promise<RepairWriter> {
    return RepairWriter.take(id, this.#tables, this.#clock);
  }

  /** Rebuilds what follows from other rows: SQLite's indexes, the index of bodies, and the counts of these runs. */
  async rebuildIndexes(runs: Iterable<RunId>): Promise<void> {
    rebuildIndexes(this.#tables.database);
    const { database } = this.#tables;
    for (const run of runs) {
      if ((await this.holderOf(run)) === undefined) database.transaction(() => recount(database, run));
    }
  }

  /** Accepts that a page or a row is lost: it is no finding any more. False while a process works on the run. */
  async acceptLoss({ run, exchange, problem }: AcceptedLoss): Promise<boolean> {
    if ((await this.holderOf(run)) !== undefined) return false;
    const { database, events } = this.#tables;
    database.transaction(() => {
      if (exchange === undefined) recount(database, run);
      else acceptOpenLoss(database, exchange);
      events.add(run, undefined, { kind: 'loss_accepted', data: { problem } }, this.#clock.now());
    });
    return true;
  }

  /** Lost exchanges whose place a different answer has taken, and that nobody has accepted. */
  async openLosses(): Promise<ReadonlySet<ExchangeId>> {
    return new Set(findOpenLosses(this.#tables.database));
  }

  /** A request as it was asked for, to be sent again. */
  async request(id: RequestId): Promise<ClaimedRequest | undefined> {
    return this.#tables.requests.find(id);
  }

  /** The run a person means by a number or `latest`. Throws `run_not_found`. */
  async run(reference: number | 'latest'): Promise<Run> {
    const run = reference === 'latest' ? this.#tables.runs.latest() : this.#tables.runs.find(reference);
    if (run === undefined) throw runNotFound(reference, this.#tables.runs.latest()?.id);
    return run;
  }

  /** The newest run of a site. */
  async latestOfSite(domain: string): Promise<Run | undefined> {
    return this.#tables.runs.latestOf('site', domain);
  }

  /** Newest first. */
  async runs(limit: number): Promise<Run[]> {
    return this.#tables.runs.list(limit);
  }

  async summary(id: RunId): Promise<RunSummary> {
    return summarise(this.#tables, id);
  }

  /** The living process that works on the run. */
  async holderOf(id: RunId): Promise<ProcessIdentity | undefined> {
    return this.#tables.ownership.holderOf(id, this.#clock.now());
  }

  /** What fetching remembered: cookies of the run, breaker and rate of each host, robots.txt of each origin. */
  async fetchMemory(
    id: RunId,
  ): Promise<{ sessions: Json; opened: Json; hosts: ReadonlyMap<string, Json>; robots: ReadonlyMap<string, Json> }> {
    const { runs, hosts } = this.#tables;
    return { sessions: runs.sessionsOf(id), opened: runs.openedOf(id), hosts: hosts.states(), robots: hosts.robots() };
  }

  async seedsOf(id: RunId): Promise<Seed[]> {
    return this.#tables.seeds.of(id);
  }

  /** How many requests of a run are made last, and alone, because processes died over them. */
  async countSetAside(id: RunId): Promise<number> {
    return this.#tables.requests.countSetAside(id);
  }

  /** The steps that a resume of the run needs, and how many requests lead to each. */
  async stepsToCome(id: RunId): Promise<{ readonly step: string; readonly count: number }[]> {
    return this.#tables.requests.stepsToCome(id);
  }

  async walksOf(id: RunId): Promise<StoredWalk[]> {
    return this.#tables.walks.of(id);
  }

  /** How many ids of a walk were asked for and have not settled. */
  async waitingOf(walk: WalkId): Promise<number> {
    return this.#tables.walks.waiting(walk);
  }

  /** Ids below the walk's first, after the one given, that the walks before it do not know to exist; at most `limit`. */
  async holesOf(walk: StoredWalk, after: number | undefined, limit: number): Promise<number[]> {
    return holesBelow(this.#tables, walk, after, limit);
  }

  /** The id space of a walk; of one that asks for holes, with what the walks before it know. */
  async gapMapOf(walk: StoredWalk): Promise<GapMap> {
    return encodeGapMap(stretchesOf(this.#tables, walk));
  }

  /** What all runs of a scraper together know of each of its sequences of ids. */
  async knownSequences(name: string, source: string | undefined): Promise<KnownSequence[]> {
    return knownSequences(this.#tables, name, source);
  }

  async countsByHost(id: RunId): Promise<HostCounts[]> {
    return this.#tables.counts.byHost(id);
  }

  async recordCount(id: RunId): Promise<{ readonly total: number; readonly invalid: number }> {
    return this.#tables.records.count(id);
  }

  async recordCountsByKind(id: RunId): Promise<{ kind: string; total: number; invalid: number }[]> {
    return this.#tables.records.countByKind(id);
  }

  /** Up to `limit` records after the one with id `after`, in the order they were committed. */
  async recordsAfter(id: RunId, after: number, limit: number): Promise<StoredRecord[]> {
    return this.#tables.records.after(id, after, limit);
  }

  async eventsAfter(id: RunId, after: number, limit: number): Promise<StoredEvent[]> {
    return this.#tables.events.after(id, after, limit);
  }

  /** The hosts (`host:port`) that the run has waited for, without those that it has given up. */
  async waitedHosts(id: RunId): Promise<string[]> {
    return this.#tables.events.waitedHosts(id);
  }

  /** The id of the run's latest event; 0 when there is none. */
  async lastEvent(id: RunId): Promise<number> {
    return this.#tables.events.last(id);
  }

  /** What went otherwise than hoped, the most frequent first; `detail` is what is known about the example. */
  async problems(id: RunId, limit: number): Promise<(Problem & { readonly detail: Json | undefined })[]> {
    const { requests, events } = this.#tables;
    const found = requests.problems(id, limit).map(({ request, ...problem }) => {
      return { ...problem, request, detail: request && events.lastOf(id, request, 'step_failed') };
    });
    return [...this.#missingItems(id), ...found].slice(0, limit);
  }

  /** That items of the run before are missing, as a problem. */
  #missingItems(id: RunId): (Problem & { readonly detail: Json | undefined })[] {
    const { count, urls } = this.#tables.sites.missing.of(id, MOST_NAMED);
    const [example] = urls;
    if (example === undefined) return [];
    const reason = 'in no list any more, though the run before had it';
    const about = { step: undefined, request: undefined, example, detail: { urls: [...urls] } };
    return [{ verdict: 'missing', reason, count, ...about }];
  }

  async segmentsOf(id: RunId): Promise<{ readonly segment: number; readonly end: number }[]> {
    return this.#tables.exchanges.segmentsOf(id);
  }

  /** Segments of all runs with bytes that may not be on the device. */
  async unsyncedSegments(): Promise<UnsyncedSegment[]> {
    return this.#tables.exchanges.unsyncedSegments();
  }

  /** The exchanges in a segment that reach beyond `position`, as they lie there. */
  async exchangesBeyond(segment: number, position: number): Promise<StoredExchange[]> {
    return this.#tables.exchanges.beyond(segment, position);
  }

  /** The segments of every run. */
  async segments(): Promise<{ readonly segment: number; readonly end: number }[]> {
    return this.#tables.exchanges.segments();
  }

  /** The exchanges of a run whose bytes, or those that they repeat, lie behind the end of a segment that is too short. */
  async *cutOff(id: RunId, short: readonly ShortSegment[]): AsyncGenerator<StoredExchange> {
    yield* this.#tables.exchanges.cutOff(id, short);
  }

  async exchange(id: ExchangeId): Promise<StoredExchange | undefined> {
    return this.#tables.exchanges.find(id);
  }

  async exchangesAfter(id: RunId, after: ExchangeId | undefined, limit: number): Promise<StoredExchange[]> {
    return this.#tables.exchanges.ofRun(id, after, limit);
  }

  /** What became of the request of that identity; undefined when the run never had it. */
  async fateOf(run: RunId, identity: Uint8Array): Promise<RequestFate | undefined> {
    return this.#tables.requests.fateOf(run, identity);
  }

  /** The first request of a run for an address, or that was redirected to it. */
  async requestAt(run: RunId, url: string): Promise<RequestId | undefined> {
    return this.#tables.requests.firstAt(run, url);
  }

  /** The exchanges made for a request, in order. */
  async exchangesOf(request: RequestId): Promise<StoredExchange[]> {
    return this.#tables.exchanges.ofRequest(request);
  }

  /** The latest 200 that this very address gave to a request of that identity, in any run. */
  async lastAnswer(identity: Uint8Array, url: string): Promise<StoredExchange | undefined> {
    return this.#tables.exchanges.lastAnswer(identity, url);
  }

  /** When each exchange of a run began, redirects included, in the order of time. */
  async *requestStarts(id: RunId): AsyncGenerator<RequestStart> {
    yield* this.#tables.exchanges.startsOf(id);
  }

  /** Breaker, rate and counts of every host that was ever asked, by host. */
  async hostStates(): Promise<ReadonlyMap<string, Json>> {
    return this.#tables.hosts.states();
  }

  /** Keeps what fetching learnt of hosts where there is no run that it belongs to. */
  async rememberHosts(learnt: LearntOfHosts): Promise<void> {
    const { database, hosts } = this.#tables;
    try {
      database.transaction(() => hosts.remember(learnt, this.#clock.now()));
    } catch (error) {
      hosts.forget();
      throw error;
    }
  }

  /** What is known of robots.txt, by origin. */
  async robotsRecords(): Promise<ReadonlyMap<string, Json>> {
    return this.#tables.hosts.robots();
  }

  /** Where a body of that hash was archived. Synchronous: it is asked for every page. */
  findBody(sha256: Uint8Array): HeldBody | undefined {
    return this.#tables.exchanges.holding(sha256);
  }

  async close(): Promise<void> {
    this.#tables.database.close();
  }
}

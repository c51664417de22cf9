// What those who look ask the ledger, all of it quick: by an index, or bounded. What has to look at a whole run is in
// heavy-reports.ts.

import type { Clock } from '../../platform/clock.ts';
import type { LedgerTables } from '../ledger-tables.ts';
import type { RequestId } from '../page-result.ts';
import type { RunId } from '../run.ts';
import { EventReport, type EventReportRow } from './event-report.ts';
import { type Listed, type ScannedPage, scanIds } from './list-rows.ts';
import { RecordReport, type RecordReportRow } from './record-report.ts';
import { RequestReport, type RequestReportRow } from './request-report.ts';
import {
  type OwnedRun,
  type OwnerReport,
  type ReportedRun,
  type RunCounts,
  type RunFilter,
  RunReport,
} from './run-report.ts';
import { readDownloadTimeline, readTimeline, type Timeline } from './timeline-report.ts';

/** Everything about one request that stands in the ledger, beside its exchanges. */
export interface RequestFacts {
  readonly request: RequestReportRow;
  readonly parent: RequestReportRow | undefined;
  readonly probes: ReturnType<RequestReport['probesOf']>;
  readonly startPages: readonly string[];
  readonly events: readonly EventReportRow[];
  readonly records: readonly RecordReportRow[];
}

const MOST_EVENTS = 200;
const MOST_RECORDS = 100;

export class Reports {
  readonly #tables: LedgerTables;
  readonly #clock: Clock;
  readonly #runs: RunReport;
  readonly #requests: RequestReport;
  readonly #records: RecordReport;
  readonly #events: EventReport;

  /** Made by `Ledger`. */
  constructor(tables: LedgerTables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
    this.#runs = new RunReport(tables);
    this.#requests = new RequestReport(tables.database);
    this.#records = new RecordReport(tables.database);
    this.#events = new EventReport(tables.database);
  }

  /** Another number whenever another connection has changed something. */
  async version(): Promise<number> {
    return Number(this.#tables.database.prepare('PRAGMA data_version').get()?.data_version);
  }

  async run(id: number): Promise<ReportedRun | undefined> {
    return this.#runs.find(id);
  }

  /** Newest first. */
  async runs(filter: RunFilter, limit: number): Promise<ReportedRun[]> {
    return this.#runs.list(filter, limit);
  }

  /** The latest run of each kind and name, newest first. */
  async latestRuns(): Promise<ReportedRun[]> {
    return this.#runs.latestOfEach();
  }

  /**
   * Of each kind and name the newest run that has ended, and all that were begun after it; newest first. A run that is still
   * on does not make the one before it history: nobody knows yet how it will end.
   */
  async currentRuns(): Promise<ReportedRun[]> {
    return this.#runs.current();
  }

  async countRuns(): Promise<ReturnType<RunReport['countBy']>> {
    return this.#runs.countBy();
  }

  /** What a run came to by now. */
  async countsOf(run: RunId): Promise<RunCounts> {
    return this.#runs.counts(run);
  }

  /** A run that was read before, and who has it, as of one moment: what has ended meanwhile is nobody's, and not killed. */
  async withOwner(read: ReportedRun): Promise<OwnedRun> {
    const owner = await this.ownerOf(read.id);
    if (read.status !== 'running' || owner.state === 'alive') return { run: read, owner };
    const run = (await this.run(read.id)) ?? read;
    return { run, owner: run.status === 'running' ? owner : await this.ownerOf(run.id) };
  }

  async ownerOf(run: RunId): Promise<OwnerReport> {
    return this.#runs.ownerOf(run, this.#clock.now());
  }

  /** The process that walks a site, or did when it died. */
  async ownerOfWalk(site: string): Promise<OwnerReport> {
    return this.#runs.ownerOfWalk(site, this.#clock.now());
  }

  /** The run or the walk of a site that a living process of this machine works on. */
  async ownedBy(pid: number): Promise<{ readonly run?: ReportedRun; readonly site?: string }> {
    return this.#runs.ownedBy(pid, this.#clock.now());
  }

  /** When the first request that came to that was answered. */
  async firstAnswerOf(run: RunId, verdict: 'failed' | 'blocked' | 'unknown'): Promise<number | undefined> {
    return this.#runs.firstAnswerOf(run, verdict);
  }

  async timeline(run: ReportedRun, most: number): Promise<Timeline> {
    const read = run.kind === 'mirror' ? readDownloadTimeline : readTimeline;
    return read(this.#tables.database, run.id, most);
  }

  /** A page of a list in the order of ids. Looks at a bounded number of rows: it may be short and go on all the same. */
  async scan(
    listed: Listed,
    page: { readonly after: number | undefined; readonly limit: number; readonly order: 'asc' | 'desc' },
  ): Promise<ScannedPage> {
    return scanIds(this.#tables.database, listed, page);
  }

  /** In the order of the ids. */
  async requestRows(ids: readonly number[]): Promise<RequestReportRow[]> {
    return this.#requests.rows(ids);
  }

  /** In the order of the ids. */
  async recordRows(ids: readonly number[]): Promise<RecordReportRow[]> {
    return this.#records.rows(ids);
  }

  /** Undefined when the run has no such request. */
  async factsOf(run: RunId, id: number): Promise<RequestFacts | undefined> {
    const request = this.#requests.find(run, id);
    if (request === undefined) return undefined;
    return {
      request,
      parent: request.parent === undefined ? undefined : this.#requests.find(run, request.parent),
      probes: this.#requests.probesOf(request.id),
      startPages: this.#requests.startPagesOf(run, request.id),
      events: this.#events.ofRequest(request.id, MOST_EVENTS),
      records: this.#records.ofRequest(request.id as RequestId, MOST_RECORDS),
    };
  }

  /** How many items came from each start page of a site. */
  async startPagesOf(run: RunId): Promise<ReturnType<RequestReport['startPages']>> {
    return this.#requests.startPages(run);
  }

  /** Newest first. */
  async eventsBefore(run: RunId, id: number | undefined, limit: number): Promise<EventReportRow[]> {
    return this.#events.before(run, id, limit);
  }

  /** Of all runs, or of one, in order. */
  async eventsAfter(id: number, run: RunId | undefined, limit: number): Promise<EventReportRow[]> {
    return this.#events.after(id, run, limit);
  }

  /** The id of the latest event of all; 0 when there is none. */
  async lastEvent(): Promise<number> {
    return this.#events.last();
  }
}

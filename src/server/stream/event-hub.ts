// Looks into the ledger once a second for all who watch: what became true since, how far running runs are, and what has ended,
// also what began and ended between two looks. However many dashboards are open, a run is asked once. Who is told of a run and
// then asks for it is not answered from before.

import { isExhausted } from '../../ledger/frontier.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { EventReportRow } from '../../ledger/reports/event-report.ts';
import type { ReportedRun } from '../../ledger/reports/run-report.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RunRow, StoredEvent } from '../contract/runs.ts';
import { clean, cleanText } from '../http/clean.ts';
import type { SharedAnswers } from '../http/shared-answers.ts';
import { stampOf } from '../runs/require-run.ts';
import type { RunRates } from '../runs/run-rates.ts';
import type { RunRows } from '../runs/run-rows.ts';

/** One who watches. */
export interface Watcher {
  /** Only of this run. */
  readonly run: number | undefined;
  /** Something for it, ready to be sent. */
  send(message: StreamMessage): void;
}

export interface StreamMessage {
  /** Only events have one: to resume from. */
  readonly id: number | undefined;
  readonly event: 'event' | 'run';
  /** JSON. */
  readonly data: string;
}

const LOOK_MS = 1_000;
/** Events taken at once; the rest is taken at the next look. */
const MOST_EVENTS = 500;
/** Runs in which an end is seen though nobody saw them run: the newest, and those that are watched. */
const MOST_RECENT = 100;

export class EventHub {
  readonly #ledger: Ledger;
  readonly #rows: RunRows;
  readonly #rates: RunRates;
  readonly #shared: SharedAnswers;
  readonly #clock: Clock;
  readonly #watchers = new Set<Watcher>();
  readonly #stopping = new AbortController();
  /** What was last said of each run that was running, to say it again only when it changed. */
  readonly #said = new Map<number, string>();
  /** How each run was that has been looked at. */
  #stamps: ReadonlyMap<number, string> = new Map();
  #lastEvent = 0;
  #version = -1;
  #looking: Promise<void> = Promise.resolve();

  constructor(ledger: Ledger, rows: RunRows, rates: RunRates, shared: SharedAnswers, clock: Clock) {
    this.#ledger = ledger;
    this.#rows = rows;
    this.#rates = rates;
    this.#shared = shared;
    this.#clock = clock;
  }

  get watchers(): number {
    return this.#watchers.size;
  }

  /** Up to here everybody has been told. */
  get lastEvent(): number {
    return this.#lastEvent;
  }

  /** Begins to look. `fail` is told when a look fails; the next is made all the same. */
  async start(fail: (error: unknown) => void): Promise<void> {
    const { reports } = this.#ledger;
    this.#lastEvent = await reports.lastEvent();
    this.#stamps = stampsOf(await reports.runs({}, MOST_RECENT));
    this.#looking = this.#look(fail);
  }

  watch(watcher: Watcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** What a watcher missed after `after`, up to what everybody has been told; undefined when it is more than `most`. */
  async missed(after: number, run: number | undefined, most: number): Promise<StreamMessage[] | undefined> {
    const id = run === undefined ? undefined : (await this.#ledger.reports.run(run))?.id;
    const events = await this.#ledger.reports.eventsAfter(after, id, most + 1);
    const told = events.filter((event) => event.id <= this.#lastEvent);
    return told.length > most ? undefined : told.map(messageOf);
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#looking;
  }

  async #look(fail: (error: unknown) => void): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#lookOnce().catch(fail);
      await this.#clock.sleep(LOOK_MS, signal).catch(() => {});
    }
  }

  async #lookOnce(): Promise<void> {
    const { reports } = this.#ledger;
    const version = await reports.version();
    const changed = version !== this.#version;
    const running = await reports.runs({ statuses: ['running'] }, 100);
    // A process that dies changes nothing in the ledger: so runs that were running are looked at in any case.
    if (!changed && running.length === 0 && this.#said.size === 0) return;
    for (const run of running) await this.#sample(run);
    const toldAll = await this.#tellEvents();
    await this.#tellRuns(running, changed);
    // Only now: what a look that failed has not told, and what was too much for one, is left to the next.
    if (toldAll) this.#version = version;
  }

  async #sample({ id, kind }: ReportedRun): Promise<void> {
    if (kind === 'mirror') {
      const { byStatus } = await this.#ledger.mirror.countDownloads(id);
      const { downloaded, failed, skipped, pending, in_progress } = byStatus;
      const total = Object.values(byStatus).reduce((sum, n) => sum + n, 0);
      const settled = new Map([[kind, downloaded + failed + skipped]]);
      // Before there is a worklist the index is being read.
      this.#rates.sample(id, settled, { left: pending + in_progress, isReading: total === 0, isOpenEnded: false });
      return;
    }
    const hosts = await this.#ledger.countsByHost(id);
    const settled = hosts.map(({ host, counts: { pending: _, ...rest } }): [string, number] => [
      host,
      Object.values(rest).reduce((sum, n) => sum + n, 0),
    ]);
    const walks = await this.#ledger.walksOf(id);
    // Ids that are certain to be asked for are known before they are queued.
    const certain = walks.reduce((sum, { last, next }) => sum + Math.max(0, last - next + 1), 0);
    const pending = hosts.reduce((sum, { counts }) => sum + counts.pending, 0);
    this.#rates.sample(id, new Map(settled), {
      left: pending + certain,
      isReading: (await this.#ledger.seedsOf(id)).some(({ finished }) => !finished),
      isOpenEnded: walks.some((walk) => !isExhausted(walk)),
    });
  }

  /** Whether that was all. */
  async #tellEvents(): Promise<boolean> {
    const events = await this.#ledger.reports.eventsAfter(this.#lastEvent, undefined, MOST_EVENTS);
    for (const event of events) {
      this.#lastEvent = event.id;
      if (this.#watchers.size > 0) this.#tell(event.run, messageOf(event));
    }
    return events.length < MOST_EVENTS;
  }

  /** The rows of runs that are running, and once more those that no longer are. */
  async #tellRuns(running: readonly ReportedRun[], changed: boolean): Promise<void> {
    const ids = new Set<number>(running.map(({ id }) => id));
    this.#rates.keepOnly(ids);
    const ended = await this.#find([...this.#said.keys()].filter((id) => !ids.has(id)));
    for (const run of [...running, ...ended]) await this.#tellRow(run);
    if (!changed) return;
    const told = new Set<number>(ended.map(({ id }) => id));
    const recent = await this.#ledger.reports.runs({}, MOST_RECENT);
    const watched = await this.#find([...this.#watchers].flatMap(({ run }) => run ?? []));
    const looked = new Map([...recent, ...watched].map((run) => [run.id, run]));
    const stamps = stampsOf([...looked.values()]);
    for (const [id, run] of looked) {
      const isNews = this.#stamps.get(id) !== stamps.get(id) && run.status !== 'running';
      if (isNews && !told.has(id)) await this.#tellRow(run);
    }
    this.#stamps = stamps;
  }

  async #find(ids: readonly number[]): Promise<ReportedRun[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.#ledger.reports.run(id)));
    return found.filter((run) => run !== undefined);
  }

  async #tellRow(run: ReportedRun): Promise<void> {
    const row = await this.#rows.row(run);
    this.#tellRun(row);
    if (row.state !== 'running' && run.status !== 'running') this.#said.delete(run.id);
  }

  #tellRun(row: RunRow): void {
    const data = JSON.stringify(row);
    if (this.#said.get(row.id) === data) return;
    this.#said.set(row.id, data);
    this.#shared.forget();
    this.#tell(row.id, { id: undefined, event: 'run', data });
  }

  #tell(run: number | undefined, message: StreamMessage): void {
    for (const watcher of this.#watchers) {
      if (watcher.run === undefined || watcher.run === run) watcher.send(message);
    }
  }
}

function stampsOf(runs: readonly ReportedRun[]): ReadonlyMap<number, string> {
  return new Map(runs.map((run) => [run.id, stampOf(run).stamp]));
}

function messageOf(row: EventReportRow): StreamMessage {
  return { id: row.id, event: 'event', data: JSON.stringify(tellEvent(row)) };
}

/** An event as the API shows it. */
export function tellEvent({ id, at, run, kind, request, caseId, url, data }: EventReportRow): StoredEvent {
  return {
    id,
    at,
    run: run ?? null,
    kind,
    request: request ?? null,
    case: caseId ?? null,
    url: cleanText(url),
    data: clean(data),
  };
}

// The owner's hand on a mirror run. Every write is one transaction that first proves ownership: what a former owner brings
// is rejected whole.

import { redactSecrets } from '../../observe/redact.ts';
import type { Clock, Instant } from '../../platform/clock.ts';
import type { Durability } from '../database.ts';
import type { RunStatus } from '../health.ts';
import { keepMemory } from '../keep-memory.ts';
import type { RunId } from '../run.ts';
import type { FencingToken } from '../run-ownership.ts';
import type { UnsavedMemory } from '../run-writer.ts';
import type { CaseId } from './case-row.ts';
import type { VersionId } from './csv-version.ts';
import type { DownloadChange, DownloadRow } from './download-row.ts';
import type { Transition } from './download-table.ts';
import type { MirrorEvent } from './mirror-event.ts';
import type { MirrorTables } from './mirror-tables.ts';
import type { RunCoverage } from './run-coverage.ts';

export class MirrorRunWriter {
  readonly run: RunId;
  readonly source: string;
  readonly #token: FencingToken;
  readonly #tables: MirrorTables;
  readonly #clock: Clock;
  /** Up to here the time worked has been added to the run. */
  #countedUpTo: number;

  /** Made by `MirrorLedger.startRun`. */
  constructor(run: RunId, source: string, token: FencingToken, tables: MirrorTables, clock: Clock) {
    this.run = run;
    this.source = source;
    this.#token = token;
    this.#tables = tables;
    this.#clock = clock;
    this.#countedUpTo = clock.monotonic();
  }

  /** Says which version of the index the run works from, and what the site gave instead, if that could not be used. */
  async setCsvVersion(version: VersionId, refused?: VersionId): Promise<void> {
    this.#asOwner(() => this.#tables.runs.setCsvVersion(this.run, version, refused));
  }

  /** Writes the worklist: a pending download for each case. From here on a resume knows what was meant to be done. */
  async plan(cases: readonly CaseId[]): Promise<void> {
    this.#asOwner((now) => {
      for (const id of cases) this.#tables.downloads.ensure(this.run, id, now);
      this.#tables.runs.setPlanned(this.run, cases.length);
    });
  }

  /** The case's download in this run; a new one is pending. */
  async download(id: CaseId): Promise<DownloadRow> {
    const { downloads } = this.#tables;
    return downloads.find(this.run, id) ?? this.#asOwner((now) => downloads.ensure(this.run, id, now));
  }

  /**
   * Changes the status of a download, if it may become that, with the event that `tell` makes of it. For
   * `CaseDownloadState` only: nobody else decides what becomes of a download.
   */
  async changeDownload(
    id: CaseId,
    change: DownloadChange,
    tell: (transition: Transition) => MirrorEvent,
  ): Promise<{ readonly transition: Transition; readonly event: MirrorEvent }> {
    return this.#asOwner((now) => {
      const transition = this.#tables.downloads.change(this.run, id, change, now);
      if (change.to === 'downloaded' && transition.verdict === 'allowed') {
        const { files, cases } = this.#tables;
        if (files.take(this.run, id, change.file, now)) cases.touch(id);
      }
      const event = tell(transition);
      this.#tables.events.add(this.run, event, now);
      return { transition, event };
    });
  }

  async addEvent(event: MirrorEvent): Promise<void> {
    this.#asOwner((now) => this.#tables.events.add(this.run, event, now));
  }

  /** Shows other processes that this one is alive, counts the time worked, and keeps what fetching learnt. */
  async heartbeat(memory?: UnsavedMemory): Promise<void> {
    this.#asOwner((now) => {
      this.#countTime();
      keepMemory(this.#tables.kernel, this.run, memory && withoutSecrets(memory), now);
    });
  }

  /** Ends the run with its coverage and health, and gives it back. On the device when this returns, as its files are. */
  async end(status: Exclude<RunStatus, 'running'>, error: string | null = null): Promise<RunCoverage> {
    return this.#asOwner((now) => {
      this.#countTime();
      const coverage = endMirrorRun(this.#tables, this.run, status, error, now);
      this.#tables.kernel.ownership.release(this.run, this.#token);
      return coverage;
    }, 'power');
  }

  #countTime(): void {
    const now = this.#clock.monotonic();
    this.#tables.kernel.runs.addActiveTime(this.run, now - this.#countedUpTo);
    this.#countedUpTo = now;
  }

  #asOwner<T>(work: (now: Instant) => T, durability?: Durability): T {
    const { database, ownership, hosts } = this.#tables.kernel;
    const now = this.#clock.now();
    try {
      return database.transaction(() => {
        ownership.assertOwner(this.run, this.#token, now);
        return work(now);
      }, durability);
    } catch (error) {
      hosts.forget();
      throw error;
    }
  }
}

/** Measures a run and writes its end. Call it within a transaction. */
export function endMirrorRun(
  { runs, cases, versions }: MirrorTables,
  id: RunId,
  status: Exclude<RunStatus, 'running'>,
  error: string | null,
  now: Instant,
): RunCoverage {
  const run = runs.find(id);
  const total = run === undefined ? 0 : cases.countActive(run.source, run.csvVersionId ?? undefined);
  const coverage = runs.measure(id, total);
  const used = run?.csvVersionId == null ? undefined : versions.find(run.csvVersionId);
  const isConfirmed = used !== undefined && run?.refusedVersionId === null;
  const grade = !isConfirmed ? 'not_confirmed' : used.unreadableRows === null ? 'whole' : 'unreadable_rows';
  runs.end(id, status, error, coverage, grade, now);
  return coverage;
}

/** Addresses of files are signed: who has one may fetch the file. */
function withoutSecrets({ events, ...memory }: UnsavedMemory): UnsavedMemory {
  return {
    ...memory,
    events: events.map(({ url, ...event }) =>
      url === undefined ? event : { ...event, url: redactSecrets(String(url)) },
    ),
  };
}

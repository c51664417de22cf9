// The mirror's part of the ledger: versions of an index and what they change, runs, and everything reports read. One run of
// a source at a time; a run whose owner is dead is `aborted`, whoever notices it first.

import type { Clock, Instant } from '../../platform/clock.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { thisProcess } from '../../platform/process-identity.ts';
import type { RunId } from '../run.ts';
import type { CaseFacts } from './case-facts.ts';
import type { HeldFile } from './case-file-table.ts';
import type { ChangeCounts, HistoryRow } from './case-history-table.ts';
import type { CaseChanges, CaseId, StoredCase } from './case-row.ts';
import type { ChangedCases } from './case-table.ts';
import type { CsvVersion, NewCsvVersion, VersionId } from './csv-version.ts';
import type { DownloadCounts, DownloadFilter } from './download-report.ts';
import type { DownloadRow } from './download-row.ts';
import type { IndexCheck } from './index-check-table.ts';
import { type StaleIndex, staleIndexOf, unreadableIndexOf } from './index-use.ts';
import type { MirrorEvent, StoredMirrorEvent } from './mirror-event.ts';
import type { MirrorRun, NewMirrorRun } from './mirror-run.ts';
import { endMirrorRun, MirrorRunWriter } from './mirror-run-writer.ts';
import type { MirrorTables } from './mirror-tables.ts';

/** What a version of the index is to do: change the cases, or nothing, for a reason. */
export type VersionVerdict =
  | { readonly kind: 'accepted'; readonly changes: CaseChanges }
  | { readonly kind: 'refused'; readonly reason: string };

export type StoredVersion =
  | {
      readonly kind: 'accepted';
      readonly id: VersionId;
      readonly changed: ChangedCases;
      /** The events that were stored with it. */
      readonly told: readonly MirrorEvent[];
    }
  | { readonly kind: 'refused'; readonly id: VersionId; readonly reason: string };

/** What was noticed in the bytes of a version, to be told when its cases are taken over. */
export interface VersionFindings {
  /** The run that fetched it, if there is one. */
  readonly run: RunId | undefined;
  readonly tell: (id: VersionId) => readonly MirrorEvent[];
}

export class MirrorLedger {
  readonly #tables: MirrorTables;
  readonly #clock: Clock;

  /** Made by `Ledger`. */
  constructor(tables: MirrorTables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
  }

  /**
   * Stores a version, with all that it changes in cases and their history, what is told of it and that the index was
   * looked at, as one fact. `judge` sees the cases as they are at that moment. A version that is refused for the reason,
   * and with the bytes, of the newest one is that one.
   */
  async storeVersion(
    version: NewCsvVersion,
    judge: (cases: readonly StoredCase[]) => VersionVerdict,
    findings?: VersionFindings,
  ): Promise<StoredVersion> {
    const { versions, checks, cases, events, kernel } = this.#tables;
    return kernel.database.transaction((): StoredVersion => {
      const verdict = judge(cases.ofSource(version.source));
      if (verdict.kind === 'accepted') {
        const id = versions.add(version, null);
        const changed = cases.apply(version.source, id, verdict.changes);
        checks.confirm(version.source, id, version.fetchedAt);
        const told = findings?.tell(id) ?? [];
        for (const event of told) events.add(findings?.run, event, this.#clock.now());
        return { kind: 'accepted', id, changed, told };
      }
      const { reason } = verdict;
      const latest = versions.latest(version.source);
      const isSame = version.sha256 !== '' && latest?.sha256 === version.sha256 && latest.errorMessage === reason;
      const id = isSame ? latest.id : versions.add(version, reason);
      checks.refuse(version.source, id, version.fetchedAt);
      return { kind: 'refused', id, reason };
    });
  }

  /** The site says that this version is what the index is still. */
  async confirmVersion({ source, id }: CsvVersion, at: string): Promise<void> {
    const { checks, kernel } = this.#tables;
    kernel.database.transaction(() => checks.confirm(source, id, at));
  }

  /** The last look at the index of the source; undefined when there was none. */
  async indexCheck(source: string): Promise<IndexCheck | undefined> {
    return this.#tables.checks.find(source);
  }

  async version(id: number): Promise<CsvVersion | undefined> {
    return this.#tables.versions.find(id);
  }

  /** The newest version whose cases were taken over. */
  async lastGoodVersion(source: string): Promise<CsvVersion | undefined> {
    return this.#tables.versions.lastGood(source);
  }

  async versionBefore(version: CsvVersion): Promise<CsvVersion | undefined> {
    return this.#tables.versions.predecessorOf(version);
  }

  /** Newest first. */
  async versions(source: string, limit: number): Promise<CsvVersion[]> {
    return this.#tables.versions.list(source, limit);
  }

  /** How many cases each of these versions added, removed and changed; none for a version that is not named. */
  async changesOf(versions: readonly VersionId[]): Promise<ReadonlyMap<number, ChangeCounts>> {
    return this.#tables.history.countBy(versions);
  }

  /**
   * Begins a run and makes this process its owner. Runs of the source whose owner is dead are aborted first. Throws
   * `run_owned` when one is being worked on.
   */
  async startRun(run: NewMirrorRun): Promise<MirrorRunWriter> {
    const now = this.#clock.now();
    const { runs, kernel } = this.#tables;
    return kernel.database.transaction(() => {
      this.#abortDead(run.source, now);
      const [running] = runs.running(run.source);
      if (running !== undefined) throw alreadyRunning(running);
      const id = runs.create(run, now);
      const token = kernel.ownership.take(id, thisProcess(), now);
      return new MirrorRunWriter(id, run.source, token, this.#tables, this.#clock);
    });
  }

  /** Aborts the runs whose owner is dead, of every source when none is given. */
  async abortDeadRuns(source?: string): Promise<RunId[]> {
    return this.#tables.kernel.database.transaction(() => this.#abortDead(source, this.#clock.now()));
  }

  async run(id: number): Promise<MirrorRun | undefined> {
    return this.#tables.runs.find(id);
  }

  /** Newest first; of every source when none is given. */
  async runs(source: string | undefined, limit: number): Promise<MirrorRun[]> {
    return this.#tables.runs.list(source, limit);
  }

  /** What the run worked from instead of what the site had; undefined when it worked from what the site had. */
  async staleIndexOf(id: RunId): Promise<StaleIndex | undefined> {
    return staleIndexOf(this.#tables, id);
  }

  /** The version that the run worked from, if it has rows that cannot be read. */
  async unreadableIndexOf(id: RunId): Promise<CsvVersion | undefined> {
    return unreadableIndexOf(this.#tables, id);
  }

  /** Whether the last run that was to fetch something ended before it had a worklist. */
  async hasUnplannedRun(source: string): Promise<boolean> {
    return this.#tables.runs.hasUnplanned(source);
  }

  /** Runs that a living process works on. */
  async ownedRuns(source: string): Promise<RunId[]> {
    const { runs, kernel } = this.#tables;
    const now = this.#clock.now();
    return runs.running(source).flatMap(({ id }) => (kernel.ownership.holderOf(id, now) === undefined ? [] : [id]));
  }

  async cases(source: string): Promise<StoredCase[]> {
    return this.#tables.cases.ofSource(source);
  }

  async findCase(source: string, tokenNorm: string): Promise<StoredCase | undefined> {
    return this.#tables.cases.find(source, tokenNorm);
  }

  /** Of every source when none is given. */
  async caseFacts(source: string | undefined): Promise<CaseFacts[]> {
    return this.#tables.facts.ofSource(source);
  }

  async factsOfCase(id: CaseId): Promise<CaseFacts | undefined> {
    return this.#tables.facts.ofCase(id);
  }

  /** Cases with a file that changed after the revision, in the order in which they did. */
  async heldAfter(
    revision: number,
    source: string | undefined,
    limit: number,
  ): Promise<(CaseFacts & { readonly revision: number })[]> {
    return this.#tables.facts.heldAfter(revision, source, limit);
  }

  /** Every version of every file, the oldest first; of every source when none is given. */
  async files(source: string | undefined): Promise<HeldFile[]> {
    return this.#tables.files.ofSource(source);
  }

  /** How many files that were held before came with other bytes in the run. */
  async countAmended(run: RunId): Promise<number> {
    return this.#tables.files.countAmended(run);
  }

  async historyOf(id: CaseId): Promise<(HistoryRow & { readonly at: string })[]> {
    return this.#tables.history.ofCase(id);
  }

  /** What happened to the cases of a source in the versions after the first up to the second, in order. */
  async historyBetween(
    source: string,
    after: VersionId,
    upTo: VersionId,
  ): Promise<{ readonly case: StoredCase; readonly row: HistoryRow }[]> {
    return this.#tables.history.between(source, after, upTo);
  }

  async downloadsOf(run: RunId): Promise<DownloadRow[]> {
    return this.#tables.downloads.ofRun(run);
  }

  async countDownloads(run: RunId): Promise<DownloadCounts> {
    return this.#tables.report.count(run);
  }

  /** The newest download of each case among those that fit, in the order of the cases. */
  async listDownloads(
    filter: DownloadFilter,
  ): Promise<{ readonly case: StoredCase; readonly download: DownloadRow }[]> {
    return this.#tables.report.list(filter);
  }

  async eventsOfCase(id: CaseId): Promise<StoredMirrorEvent[]> {
    return this.#tables.events.ofCase(id);
  }

  /** An event of no run: an index was fetched, a health check made. */
  async addEvent(event: MirrorEvent): Promise<void> {
    this.#tables.kernel.database.transaction(() => this.#tables.events.add(undefined, event, this.#clock.now()));
  }

  #abortDead(source: string | undefined, now: Instant): RunId[] {
    const { runs, kernel } = this.#tables;
    const dead = runs
      .running(source)
      .map(({ id }) => id)
      .filter((id) => kernel.ownership.holderOf(id, now) === undefined);
    for (const id of dead) {
      // Should the owner be alive after all, it can do no harm: its token is not the newest any more.
      kernel.ownership.release(id, kernel.ownership.take(id, thisProcess(), now));
      endMirrorRun(this.#tables, id, 'aborted', 'Its process ended without saying so.', now);
    }
    return dead;
  }
}

function alreadyRunning({ id, source }: MirrorRun): CurlewError {
  return new CurlewError(ErrorCode.runOwned, `Run ${id} of ${source} is being worked on.`, {
    remedy: 'Let it finish, or stop it; two runs of one source would fetch the same files.',
  });
}

// The mirror's rows of `runs`: begun, planned, ended with their coverage, found again.

import type { Instant } from '../../platform/clock.ts';
import type { Database } from '../database.ts';
import type { RunStatus } from '../health.ts';
import { isoTime } from '../iso-time.ts';
import type { RunId } from '../run.ts';
import type { VersionId } from './csv-version.ts';
import { type MirrorRun, type NewMirrorRun, readMirrorRun } from './mirror-run.ts';
import { coverageRatio, type IndexGrade, judgeRunHealth, type RunCoverage } from './run-coverage.ts';

export class MirrorRunTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  create({ source, trigger, mode, csvVersionId, params }: NewMirrorRun, now: Instant): RunId {
    const { lastInsertRowid } = this.#database
      .prepare(
        `INSERT INTO runs (kind, name, trigger, mode, csv_version_id, params_json, settings, status, started_at)
         VALUES ('mirror', ?, ?, ?, ?, ?, '{}', 'running', ?)`,
      )
      .run(source, trigger, mode, csvVersionId ?? null, JSON.stringify(params), isoTime(now));
    return Number(lastInsertRowid) as RunId;
  }

  find(id: number): MirrorRun | undefined {
    const row = this.#database.prepare(`SELECT * FROM runs WHERE id = ? AND kind = 'mirror'`).get(id);
    return row === undefined ? undefined : readMirrorRun(row);
  }

  /** Newest first; of every source when none is given. */
  list(source: string | undefined, limit: number): MirrorRun[] {
    return this.#database
      .prepare(`SELECT * FROM runs WHERE kind = 'mirror' AND name = coalesce(?, name) ORDER BY id DESC LIMIT ?`)
      .all(source ?? null, limit)
      .map(readMirrorRun);
  }

  running(source: string | undefined): MirrorRun[] {
    return this.#database
      .prepare(`SELECT * FROM runs WHERE kind = 'mirror' AND status = 'running' AND name = coalesce(?, name)`)
      .all(source ?? null)
      .map(readMirrorRun);
  }

  /** Whether a run of the source that was to fetch ended before it had a worklist, and none after it had one or was whole. */
  hasUnplanned(source: string): boolean {
    const row = this.#database
      .prepare(
        `SELECT 1 FROM runs WHERE kind = 'mirror' AND name = ?1 AND status IN ('aborted', 'failed') AND mode <> 'resume'
         AND id > coalesce((SELECT max(id) FROM runs WHERE kind = 'mirror' AND name = ?1
           AND (status = 'completed' OR id IN (SELECT run_id FROM downloads))), 0)`,
      )
      .get(source);
    return row !== undefined;
  }

  setCsvVersion(id: RunId, version: VersionId, refused: VersionId | undefined): void {
    this.#database
      .prepare('UPDATE runs SET csv_version_id = ?, refused_csv_version_id = ? WHERE id = ?')
      .run(version, refused ?? null, id);
  }

  setPlanned(id: RunId, planned: number): void {
    this.#database.prepare('UPDATE runs SET cases_planned = ? WHERE id = ?').run(planned, id);
  }

  /** Counts what the run came to. Without a worklist, what it touched counts as planned. */
  measure(id: RunId, casesTotal: number): RunCoverage {
    const row = this.#database
      .prepare(
        `SELECT coalesce((SELECT cases_planned FROM runs WHERE id = ?1), count(*)) AS planned,
           count(*) FILTER (WHERE attempt_count > 0) AS attempted,
           count(*) FILTER (WHERE status = 'downloaded') AS downloaded,
           count(*) FILTER (WHERE status = 'failed') AS failed,
           count(*) FILTER (WHERE status = 'skipped') AS skipped
         FROM downloads WHERE run_id = ?1`,
      )
      .get(id);
    return {
      casesTotal,
      casesPlanned: Number(row?.planned),
      casesAttempted: Number(row?.attempted),
      casesDownloaded: Number(row?.downloaded),
      casesFailed: Number(row?.failed),
      casesSkipped: Number(row?.skipped),
    };
  }

  end(
    id: RunId,
    status: RunStatus,
    error: string | null,
    coverage: RunCoverage,
    index: IndexGrade,
    now: Instant,
  ): void {
    this.#database
      .prepare(
        `UPDATE runs SET status = ?, error_summary = ?, ended_at = ?, run_health = ?, coverage_ratio = ?, cases_total = ?,
           cases_planned = ?, cases_attempted = ?, cases_downloaded = ?, cases_failed = ?, cases_skipped = ? WHERE id = ?`,
      )
      .run(
        status,
        error,
        isoTime(now),
        judgeRunHealth(status, coverage, index),
        coverageRatio(coverage),
        coverage.casesTotal,
        coverage.casesPlanned,
        coverage.casesAttempted,
        coverage.casesDownloaded,
        coverage.casesFailed,
        coverage.casesSkipped,
        id,
      );
  }
}

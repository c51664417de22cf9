// The downloads: one row for each case of each run. The only statement that changes a status is here, behind the guard.

import type { StatementSync } from 'node:sqlite';
import { redactSecrets } from '../../observe/redact.ts';
import type { Instant } from '../../platform/clock.ts';
import type { Database } from '../database.ts';
import { isoTime } from '../iso-time.ts';
import type { RunId } from '../run.ts';
import type { CaseId } from './case-row.ts';
import { type DownloadChange, type DownloadRow, readDownload } from './download-row.ts';
import { judgeTransition, type TransitionVerdict } from './download-status.ts';

export interface Transition {
  readonly verdict: TransitionVerdict;
  readonly before: DownloadRow;
  /** The same as `before` unless it was allowed. */
  readonly after: DownloadRow;
}

export class DownloadTable {
  readonly #ensure: StatementSync;
  readonly #find: StatementSync;
  readonly #update: StatementSync;
  readonly #ofRun: StatementSync;

  constructor(database: Database) {
    this.#ensure = database.prepare(
      `INSERT OR IGNORE INTO downloads (run_id, case_id, status, created_at, updated_at) VALUES (?, ?, 'pending', ?, ?)`,
    );
    this.#find = database.prepare('SELECT * FROM downloads WHERE run_id = ? AND case_id = ?');
    this.#update = database.prepare(
      `UPDATE downloads SET status = ?, attempt_count = ?, last_attempt_at = ?, file_path = ?, file_size_bytes = ?,
         file_sha256 = ?, box_url_last = ?, error_code = ?, error_message = ?, updated_at = ? WHERE id = ?`,
    );
    this.#ofRun = database.prepare('SELECT * FROM downloads WHERE run_id = ? ORDER BY id');
  }

  /** The row of the case in the run; a new one is pending. */
  ensure(run: RunId, caseId: CaseId, now: Instant): DownloadRow {
    const row = this.find(run, caseId);
    if (row !== undefined) return row;
    this.#ensure.run(run, caseId, isoTime(now), isoTime(now));
    return this.ensure(run, caseId, now);
  }

  find(run: RunId, caseId: CaseId): DownloadRow | undefined {
    const row = this.#find.get(run, caseId);
    return row === undefined ? undefined : readDownload(row);
  }

  ofRun(run: RunId): DownloadRow[] {
    return this.#ofRun.all(run).map(readDownload);
  }

  /** Makes the change if the row's status allows it. */
  change(run: RunId, caseId: CaseId, change: DownloadChange, now: Instant): Transition {
    const before = this.ensure(run, caseId, now);
    const verdict = judgeTransition(before.status, change.to);
    if (verdict !== 'allowed') return { verdict, before, after: before };
    const after = changed(before, change, isoTime(now));
    this.#update.run(
      after.status,
      after.attemptCount,
      after.lastAttemptAt,
      after.filePath,
      after.fileSizeBytes,
      after.fileSha256,
      after.boxUrlLast,
      after.errorCode,
      after.errorMessage,
      after.updatedAt,
      after.id,
    );
    return { verdict, before, after };
  }
}

function changed(before: DownloadRow, change: DownloadChange, now: string): DownloadRow {
  const boxUrlLast = ('boxUrl' in change ? change.boxUrl : undefined) ?? before.boxUrlLast;
  const common = { ...before, status: change.to, boxUrlLast, updatedAt: now };
  switch (change.to) {
    case 'in_progress':
      return {
        ...common,
        attemptCount: before.attemptCount + 1,
        lastAttemptAt: now,
        errorCode: null,
        errorMessage: null,
      };
    case 'downloaded': {
      const { filePath, sizeBytes: fileSizeBytes, sha256: fileSha256 } = change.file;
      return { ...common, filePath, fileSizeBytes, fileSha256, errorCode: null, errorMessage: null };
    }
    case 'failed':
    case 'skipped': {
      const { errorCode, errorMessage } = change;
      return { ...common, errorCode, errorMessage: errorMessage === null ? null : redactSecrets(errorMessage) };
    }
    case 'pending':
      return common;
  }
}

// The versions of each case's file. A version that was stored is never changed: other bytes are another version, under
// another path. Only that the court still gives the newest one is noted in it.

import type { Instant } from '../../platform/clock.ts';
import type { Database } from '../database.ts';
import { isoTime } from '../iso-time.ts';
import type { RunId } from '../run.ts';
import type { CaseId } from './case-row.ts';
import { textOrNull } from './csv-version.ts';
import type { VerifiedFile } from './download-row.ts';

/** A version of a case's file that was checked. Whether it is still there only the disk knows. */
export interface HeldFile extends VerifiedFile {
  /** The run that got it. */
  readonly runId: RunId;
  /** ISO 8601, UTC, as the next. */
  readonly downloadedAt: string;
  /** When the court last gave it. */
  readonly checkedAt: string;
}

export class CaseFileTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Every version, the oldest first, in the order of the cases; of every source when none is given. */
  ofSource(source: string | undefined): HeldFile[] {
    return this.#database
      .prepare(
        `SELECT case_files.* FROM case_files JOIN cases ON cases.id = case_id
         WHERE cases.source = coalesce(?, cases.source) ORDER BY case_id, version`,
      )
      .all(source ?? null)
      .map(readCaseFile);
  }

  /** How many files that were held before came with other bytes in the run. */
  countAmended(run: RunId): number {
    const row = this.#database
      .prepare('SELECT count(*) AS n FROM case_files WHERE run_id = ? AND version > 1')
      .get(run);
    return Number(row?.n);
  }

  /** Takes a file over. Returns whether it is news: bytes that the ledger did not know as that version. */
  take(run: RunId, caseId: CaseId, file: VerifiedFile, now: Instant): boolean {
    const at = isoTime(now);
    const { filePath, sizeBytes, sha256, version, etag, lastModified } = file;
    const { changes } = this.#database
      .prepare(
        `UPDATE case_files SET checked_at = ?, etag = ?, last_modified = ?
         WHERE case_id = ? AND version = ? AND file_sha256 = ? AND file_path = ?`,
      )
      .run(at, etag, lastModified, caseId, version, sha256, filePath);
    if (changes > 0) return false;
    this.#database
      .prepare(
        `INSERT INTO case_files (case_id, version, run_id, file_path, file_size_bytes, file_sha256, etag, last_modified,
           downloaded_at, checked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(caseId, version, run, filePath, sizeBytes, sha256, etag, lastModified, at, at);
    return true;
  }
}

/** A row of `case_files`. */
export function readCaseFile(row: Record<string, unknown>): HeldFile {
  return {
    runId: Number(row.run_id) as RunId,
    version: Number(row.version),
    filePath: String(row.file_path),
    sizeBytes: Number(row.file_size_bytes),
    sha256: String(row.file_sha256),
    etag: textOrNull(row.etag),
    lastModified: textOrNull(row.last_modified),
    downloadedAt: String(row.downloaded_at),
    checkedAt: String(row.checked_at),
  };
}

// Everything that planning and reporting ask about a case: what the index says, the last attempt, and the newest version of
// its file.

import type { Database } from '../database.ts';
import type { RunId } from '../run.ts';
import { type HeldFile, readCaseFile } from './case-file-table.ts';
import { type CaseId, readCase, type StoredCase } from './case-row.ts';
import { textOrNull } from './csv-version.ts';
import { type DownloadStatus, readStatus } from './download-status.ts';

/** The newest download of a case, in whatever run. */
export interface LastDownload {
  readonly runId: RunId;
  readonly status: DownloadStatus;
  readonly attemptCount: number;
  readonly lastAttemptAt: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

export interface CaseFacts {
  readonly case: StoredCase;
  readonly last: LastDownload | undefined;
  /** The newest version. */
  readonly held: HeldFile | undefined;
  /** The court was asked for the file since it last gave it, and failed to: it may have other bytes by now. */
  readonly isOwed: boolean;
}

const FACTS = `
  SELECT cases.*, last.run_id AS last_run, last.status, last.attempt_count, last.last_attempt_at, last.error_code,
    last.error_message, held.run_id, held.version, held.file_path, held.file_size_bytes, held.file_sha256, held.etag,
    held.last_modified, held.downloaded_at, held.checked_at,
    EXISTS (SELECT 1 FROM downloads WHERE case_id = cases.id AND status = 'failed' AND id > coalesce(
      (SELECT max(id) FROM downloads WHERE case_id = cases.id AND status = 'downloaded'), 0)) AS is_owed
  FROM cases
  LEFT JOIN downloads last ON last.id = (SELECT max(id) FROM downloads WHERE case_id = cases.id)
  LEFT JOIN case_files held ON held.case_id = cases.id
    AND held.version = (SELECT max(version) FROM case_files WHERE case_id = cases.id)`;

export class CaseFactsReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** In the order in which the cases came to be known; of every source when none is given. */
  ofSource(source: string | undefined): CaseFacts[] {
    return this.#database
      .prepare(`${FACTS} WHERE cases.source = coalesce(?, cases.source) ORDER BY cases.id`)
      .all(source ?? null)
      .map(readFacts);
  }

  ofCase(id: CaseId): CaseFacts | undefined {
    const row = this.#database.prepare(`${FACTS} WHERE cases.id = ?`).get(id);
    return row === undefined ? undefined : readFacts(row);
  }

  /** Cases with a file that changed after the revision, in the order in which they did. */
  heldAfter(
    revision: number,
    source: string | undefined,
    limit: number,
  ): (CaseFacts & { readonly revision: number })[] {
    return this.#database
      .prepare(
        `${FACTS} WHERE revision > ? AND cases.source = coalesce(?, cases.source) AND held.id IS NOT NULL
         ORDER BY revision LIMIT 0 + ?`,
      )
      .all(revision, source ?? null, limit)
      .map((row) => ({ ...readFacts(row), revision: Number(row.revision) }));
  }
}

function readFacts(row: Record<string, unknown>): CaseFacts {
  return {
    case: readCase(row),
    last:
      row.last_run === null
        ? undefined
        : {
            runId: Number(row.last_run) as RunId,
            status: readStatus(row.status),
            attemptCount: Number(row.attempt_count),
            lastAttemptAt: textOrNull(row.last_attempt_at),
            errorCode: textOrNull(row.error_code),
            errorMessage: textOrNull(row.error_message),
          },
    held: row.version === null ? undefined : readCaseFile(row),
    isOwed: Number(row.is_owed) === 1,
  };
}

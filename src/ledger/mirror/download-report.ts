// Counts and lists of downloads, for those who look.

import type { Database } from '../database.ts';
import type { RunId } from '../run.ts';
import { readCase, type StoredCase } from './case-row.ts';
import { type DownloadRow, readDownload } from './download-row.ts';
import { DOWNLOAD_STATUSES, type DownloadStatus } from './download-status.ts';

export interface DownloadFilter {
  readonly runId?: number | undefined;
  readonly status?: DownloadStatus | undefined;
  readonly source?: string | undefined;
}

export interface DownloadCounts {
  readonly byStatus: Readonly<Record<DownloadStatus, number>>;
  /** Error codes of failed and of skipped downloads with their numbers, the most frequent first. */
  readonly failReasons: Readonly<Record<string, number>>;
  readonly skipReasons: Readonly<Record<string, number>>;
}

export class DownloadReport {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  count(run: RunId): DownloadCounts {
    const rows = this.#database
      .prepare(
        `SELECT status, coalesce(error_code, 'internal_error') AS reason, count(*) AS n FROM downloads
         WHERE run_id = ? GROUP BY status, reason ORDER BY n DESC, reason`,
      )
      .all(run);
    const reasons = (status: DownloadStatus) =>
      Object.fromEntries(
        rows.filter((row) => row.status === status).map((row): [string, number] => [String(row.reason), Number(row.n)]),
      );
    const byStatus = Object.fromEntries(
      DOWNLOAD_STATUSES.map((status): [string, number] => [
        status,
        rows.reduce((sum, row) => sum + (row.status === status ? Number(row.n) : 0), 0),
      ]),
    ) as Record<DownloadStatus, number>;
    return { byStatus, failReasons: reasons('failed'), skipReasons: reasons('skipped') };
  }

  /** The newest download of each case among those that fit the filter, in the order of the cases. */
  list({ runId, status, source }: DownloadFilter): { readonly case: StoredCase; readonly download: DownloadRow }[] {
    const downloads = this.#database
      .prepare(
        `SELECT downloads.* FROM downloads JOIN (
           SELECT max(id) AS id FROM downloads
           WHERE run_id = coalesce(?, run_id) AND status = coalesce(?, status) GROUP BY case_id) newest USING (id)
         ORDER BY case_id`,
      )
      .all(runId ?? null, status ?? null)
      .map(readDownload);
    const find = this.#database.prepare('SELECT * FROM cases WHERE id = ? AND source = coalesce(?, source)');
    return downloads.flatMap((download) => {
      const row = find.get(download.caseId, source ?? null);
      return row === undefined ? [] : [{ case: readCase(row), download }];
    });
  }
}

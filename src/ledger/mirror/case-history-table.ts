// What became of each case with each version of the index, read back.

import type { Database } from '../database.ts';
import { type CaseId, readCase, type StoredCase } from './case-row.ts';
import { textOrNull, type VersionId } from './csv-version.ts';

const CASE_CHANGES = ['added', 'changed', 'removed', 'returned'] as const;
type CaseChange = (typeof CASE_CHANGES)[number];

export interface HistoryRow {
  readonly caseId: CaseId;
  readonly versionId: VersionId;
  readonly change: CaseChange;
  readonly field: string | null;
  readonly old: string | null;
  readonly new: string | null;
}

export class CaseHistoryTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** What happened to one case, in order, with the time at which the version was fetched. */
  ofCase(id: CaseId): (HistoryRow & { readonly at: string })[] {
    return this.#database
      .prepare(
        `SELECT case_history.*, fetched_at FROM case_history JOIN csv_versions ON csv_versions.id = csv_version_id
         WHERE case_id = ? ORDER BY case_history.id`,
      )
      .all(id)
      .map((row) => ({ ...readHistory(row), at: String(row.fetched_at) }));
  }

  /** What happened to the cases of a source in the versions after the first given up to the second, in order. */
  between(source: string, after: VersionId, upTo: VersionId): { case: StoredCase; row: HistoryRow }[] {
    return this.#database
      .prepare(
        `SELECT cases.*, case_id, csv_version_id, change, field, old_value, new_value
         FROM case_history JOIN cases ON cases.id = case_id
         WHERE csv_version_id > ? AND csv_version_id <= ? AND source = ? ORDER BY case_history.id`,
      )
      .all(after, upTo, source)
      .map((row) => ({ case: readCase(row), row: readHistory(row) }));
  }
}

function readHistory(row: Record<string, unknown>): HistoryRow {
  return {
    caseId: Number(row.case_id) as CaseId,
    versionId: Number(row.csv_version_id) as VersionId,
    change: CASE_CHANGES.find((change) => change === row.change) ?? 'changed',
    field: textOrNull(row.field),
    old: textOrNull(row.old_value),
    new: textOrNull(row.new_value),
  };
}

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

export interface ChangeCounts {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
}

export const NO_CHANGES: ChangeCounts = { added: 0, removed: 0, changed: 0 };
const COUNTED_AS = { added: 'added', returned: 'added', removed: 'removed', changed: 'changed' } as const;

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

  /** How many cases each of these versions added or brought back, removed, and changed. */
  countBy(versions: readonly VersionId[]): ReadonlyMap<number, ChangeCounts> {
    const counts = new Map<number, ChangeCounts>();
    const rows = this.#database
      .prepare(
        `SELECT csv_version_id AS id, change, count(DISTINCT case_id) AS n FROM case_history
         WHERE csv_version_id IN (SELECT value FROM json_each(?)) GROUP BY csv_version_id, change`,
      )
      .all(JSON.stringify(versions));
    for (const { id, change, n } of rows) {
      const before = counts.get(Number(id)) ?? NO_CHANGES;
      const name = COUNTED_AS[CASE_CHANGES.find((known) => known === change) ?? 'changed'];
      counts.set(Number(id), { ...before, [name]: before[name] + Number(n) });
    }
    return counts;
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

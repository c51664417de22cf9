// The cases of each source and their history. What a version of the index changes is written here, and nowhere else.

import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database.ts';
import { type CaseChanges, type CaseFields, type CaseId, readCase, type StoredCase } from './case-row.ts';
import type { VersionId } from './csv-version.ts';

export interface ChangedCases {
  readonly newCaseIds: readonly CaseId[];
  readonly changedCaseIds: readonly CaseId[];
  readonly removedCaseIds: readonly CaseId[];
  readonly returnedCaseIds: readonly CaseId[];
}

const FIELDS = `action_token_raw, title, cause_number, court, category, subject, neutral_citation, judgment_date,
  other_json, is_criminal`;
/** One more than any case has: whoever exports sees changes in the order they were committed. */
const NEXT_REVISION = '(SELECT coalesce(max(revision), 0) + 1 FROM cases)';

export class CaseTable {
  readonly #database: Database;
  readonly #touch: StatementSync;

  constructor(database: Database) {
    this.#database = database;
    this.#touch = database.prepare(`UPDATE cases SET revision = ${NEXT_REVISION} WHERE id = ?`);
  }

  /** In the order in which they came to be known. */
  ofSource(source: string): StoredCase[] {
    return this.#database.prepare('SELECT * FROM cases WHERE source = ? ORDER BY id').all(source).map(readCase);
  }

  find(source: string, tokenNorm: string): StoredCase | undefined {
    const row = this.#database
      .prepare('SELECT * FROM cases WHERE source = ? AND action_token_norm = ?')
      .get(source, tokenNorm);
    return row === undefined ? undefined : readCase(row);
  }

  /** Says that something about the case changed that is exported. */
  touch(id: CaseId): void {
    this.#touch.run(id);
  }

  /** Active cases that were known in that version. */
  countActive(source: string, version: VersionId | undefined): number {
    const row = this.#database
      .prepare('SELECT count(*) AS n FROM cases WHERE source = ? AND is_active = 1 AND first_seen_version_id <= ?')
      .get(source, version ?? 0);
    return Number(row?.n);
  }

  /** Makes the changes of a version true, with a row of history for each. Call it within a transaction. */
  apply(source: string, version: VersionId, changes: CaseChanges): ChangedCases {
    const insert = this.#database.prepare(
      `INSERT INTO cases (action_token_norm, source, first_seen_version_id, last_seen_version_id, revision, ${FIELDS})
       VALUES (?, ?, ?, ?, ${NEXT_REVISION}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    const update = this.#database.prepare(
      `UPDATE cases SET (${FIELDS}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?), is_active = 1, last_seen_version_id = ?,
       revision = ${NEXT_REVISION} WHERE id = ?`,
    );
    const seen = this.#database.prepare('UPDATE cases SET last_seen_version_id = ? WHERE id = ?');
    const remove = this.#database.prepare(`UPDATE cases SET is_active = 0, revision = ${NEXT_REVISION} WHERE id = ?`);
    const history = this.#database.prepare(
      `INSERT INTO case_history (case_id, csv_version_id, change, field, old_value, new_value) VALUES (?, ?, ?, ?, ?, ?)`,
    );
    const newCaseIds: CaseId[] = [];
    for (const fields of changes.added) {
      const { lastInsertRowid } = insert.run(fields.actionTokenNorm, source, version, version, ...valuesOf(fields));
      const id = Number(lastInsertRowid) as CaseId;
      history.run(id, version, 'added', null, null, null);
      newCaseIds.push(id);
    }
    for (const { id, fields, changes: changed, returned } of changes.kept) {
      if (changed.length === 0 && !returned) seen.run(version, id);
      else update.run(...valuesOf(fields), version, id);
      if (returned) history.run(id, version, 'returned', null, null, null);
      for (const { field, old, new: now } of changed) history.run(id, version, 'changed', field, old, now);
    }
    for (const id of changes.removed) {
      remove.run(id);
      history.run(id, version, 'removed', null, null, null);
    }
    return {
      newCaseIds,
      changedCaseIds: changes.kept.filter((kept) => kept.changes.length > 0).map(({ id }) => id),
      removedCaseIds: changes.removed,
      returnedCaseIds: changes.kept.filter(({ returned }) => returned).map(({ id }) => id),
    };
  }
}

function valuesOf(fields: CaseFields) {
  return [
    fields.actionTokenRaw,
    fields.title,
    fields.causeNumber,
    fields.court,
    fields.category,
    fields.subject,
    fields.neutralCitation,
    fields.judgmentDate,
    fields.otherJson,
    fields.isCriminal ? 1 : 0,
  ] as const;
}

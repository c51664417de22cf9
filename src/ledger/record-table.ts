// What the steps found. A record belongs to one place of one page, so that it can never be there twice.

import type { StatementSync } from 'node:sqlite';
import type { Database } from './database.ts';
import type { NewRecord, RequestId } from './page-result.ts';
import type { RunId } from './run.ts';
import { readErrors, readJson } from './stored-json.ts';

/** A record as it was committed. */
export interface StoredRecord extends NewRecord {
  readonly id: number;
  /** The page it was found on, and the step that found it. */
  readonly url: string;
  readonly step: string;
  readonly valid: boolean;
}

export class RecordTable {
  readonly #insert: StatementSync;
  readonly #page: StatementSync;
  readonly #count: StatementSync;
  readonly #kinds: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: Database) {
    this.#insert = database.prepare(
      'INSERT INTO records (run_id, request_id, ordinal, kind, data, errors) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#page = database.prepare(
      `SELECT records.id, kind, data, errors, url, step FROM records JOIN requests ON requests.id = request_id
       WHERE records.run_id = ? AND records.id > ? ORDER BY records.id LIMIT ?`,
    );
    // From the indexes alone: a run is counted at every start, and may have millions of records.
    this.#count = database.prepare(
      `SELECT (SELECT count(*) FROM records WHERE run_id = ?1) AS n,
              (SELECT count(*) FROM records WHERE run_id = ?1 AND errors IS NOT NULL) AS invalid`,
    );
    this.#remove = database.prepare('DELETE FROM records WHERE request_id = ? RETURNING errors');
    this.#kinds = database.prepare(
      'SELECT kind, count(*) AS n, count(errors) AS invalid FROM records WHERE run_id = ? GROUP BY kind ORDER BY kind',
    );
  }

  add(run: RunId, request: RequestId, ordinal: number, record: NewRecord): void {
    const errors = record.errors === undefined ? null : JSON.stringify(record.errors);
    this.#insert.run(run, request, ordinal, record.kind, JSON.stringify(record.data), errors);
  }

  /** Takes back what was said of a request that is asked for again, and gives how much that was. */
  removeOf(request: RequestId): { readonly total: number; readonly invalid: number } {
    const removed = this.#remove.all(request);
    return { total: removed.length, invalid: removed.filter(({ errors }) => errors !== null).length };
  }

  /** Up to `limit` records after the one given, in the order they were committed. */
  after(run: RunId, id: number, limit: number): StoredRecord[] {
    return this.#page.all(run, id, limit).map((row) => ({
      id: Number(row.id),
      kind: String(row.kind),
      data: readJson(row.data),
      errors: row.errors === null ? undefined : readErrors(row.errors),
      url: String(row.url),
      step: String(row.step),
      valid: row.errors === null,
    }));
  }

  count(run: RunId): { readonly total: number; readonly invalid: number } {
    const row = this.#count.get(run);
    return { total: Number(row?.n), invalid: Number(row?.invalid) };
  }

  countByKind(run: RunId): { readonly kind: string; readonly total: number; readonly invalid: number }[] {
    return this.#kinds
      .all(run)
      .map((row) => ({ kind: String(row.kind), total: Number(row.n), invalid: Number(row.invalid) }));
  }
}

// The records of a run as lists show them.

import type { Database } from '../database.ts';
import type { RequestId } from '../page-result.ts';
import type { StoredRecord } from '../record-table.ts';
import type { RunId } from '../run.ts';
import { readErrors, readJson } from '../stored-json.ts';
import { type Condition, escapeLike, type Listed } from './list-rows.ts';

export interface RecordReportRow extends StoredRecord {
  readonly request: RequestId;
}

export interface RecordFilter {
  readonly kind?: string | undefined;
  readonly valid?: boolean | undefined;
  /** Part of the data, as JSON. */
  readonly search?: string | undefined;
}

export function listedRecords(run: RunId, { kind, valid, search }: RecordFilter): Listed {
  const conditions: Condition[] = [];
  if (kind !== undefined) conditions.push({ sql: 'kind = ?', values: [kind] });
  if (valid === true) conditions.push({ sql: 'errors IS NULL', values: [] });
  const indexed = valid === false ? { sql: 'errors IS NOT NULL', values: [] } : undefined;
  if (search !== undefined) conditions.push({ sql: `data LIKE ? ESCAPE '\\'`, values: [escapeLike(search)] });
  return { table: 'records', run, conditions, indexed };
}

/** A field of the data, to sort by. */
export function fieldOf(name: string): Condition {
  return { sql: 'CASE WHEN json_valid(data) THEN data ->> ? END', values: [`$.${JSON.stringify(name)}`] };
}

export class RecordReport {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** In the order of `ids`; those that are not there are left out. */
  rows(ids: readonly number[]): RecordReportRow[] {
    const rows = this.#database
      .prepare(`${SELECT} WHERE records.id IN (SELECT value FROM json_each(?))`)
      .all(JSON.stringify(ids))
      .map(readRecord);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  ofRequest(request: RequestId, limit: number): RecordReportRow[] {
    return this.#database
      .prepare(`${SELECT} WHERE records.request_id = ? ORDER BY ordinal LIMIT ?`)
      .all(request, limit)
      .map(readRecord);
  }
}

const SELECT = `SELECT records.id, kind, data, errors, request_id, url, step
  FROM records JOIN requests ON requests.id = request_id`;

function readRecord(row: Record<string, unknown>): RecordReportRow {
  return {
    id: Number(row.id),
    kind: String(row.kind),
    data: readJson(row.data),
    errors: row.errors === null ? undefined : readErrors(row.errors),
    request: row.request_id as RequestId,
    url: String(row.url),
    step: String(row.step),
    valid: row.errors === null,
  };
}

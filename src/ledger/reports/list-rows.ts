// A page of a long list. In the order of ids it is a walk along an index that looks at a bounded number of rows, whatever the
// filter: so a page takes milliseconds in a run of a million, and may be short. Any other order is made once, by the heavy
// reports, as the list of all ids; a page is then a piece of it.

import type { Database } from '../database.ts';
import type { RunId } from '../run.ts';

/** What rows must fit, as SQL over the row with `?` for its values. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

export interface Listed {
  readonly table: 'requests' | 'records';
  readonly run: RunId;
  readonly conditions: readonly Condition[];
  /** A condition that an index serves: what does not fit it costs nothing. */
  readonly indexed?: Condition | undefined;
}

export interface ScannedPage {
  readonly ids: readonly number[];
  /** How many rows were looked at. */
  readonly looked: number;
  /** The id to go on after; undefined when the end was reached. */
  readonly next: number | undefined;
}

/** Rows that are looked at for one page. */
const MOST_LOOKED_AT = 5_000;

/** Up to `limit` ids after the one given, in the order of ids. */
export function scanIds(
  database: Database,
  { table, run, conditions, indexed }: Listed,
  {
    after,
    limit,
    order,
  }: { readonly after: number | undefined; readonly limit: number; readonly order: 'asc' | 'desc' },
): ScannedPage {
  const [beyond, start] = order === 'asc' ? ['>', after ?? 0] : ['<', after ?? Number.MAX_SAFE_INTEGER];
  const narrow = all(indexed === undefined ? [] : [indexed]);
  const range = `FROM ${table} WHERE run_id = ? AND ${narrow.sql} AND id ${beyond} ? ORDER BY id ${order}`;
  const place = [run, ...narrow.values, start];
  const { sql, values } = all(conditions);
  const ids = database
    .prepare(`SELECT id FROM (SELECT * ${range} LIMIT ${MOST_LOOKED_AT}) WHERE ${sql} LIMIT 0 + ?`)
    .all(...place, ...values, limit)
    .map((row) => Number(row.id));
  const last = ids.at(-1);
  if (ids.length === limit && last !== undefined) {
    const looked = conditions.length === 0 ? ids.length : countUpTo(database, range, place, last, beyond);
    return { ids, looked, next: last };
  }
  const edge = database.prepare(`SELECT id ${range} LIMIT 1 OFFSET ${MOST_LOOKED_AT - 1}`).get(...place)?.id;
  if (edge !== undefined) return { ids, looked: MOST_LOOKED_AT, next: Number(edge) };
  const looked = database.prepare(`SELECT count(*) AS n FROM (SELECT 1 ${range})`).get(...place)?.n;
  return { ids, looked: Number(looked), next: undefined };
}

/** All ids that fit, in the order of an expression over the row. Looks at every row of the run. */
export function sortIds(
  database: Database,
  { table, run, conditions, indexed }: Listed,
  by: { readonly expression: Condition; readonly order: 'asc' | 'desc' },
): Float64Array {
  const { sql, values } = all(indexed === undefined ? conditions : [indexed, ...conditions]);
  const statement = database.prepare(
    `SELECT id FROM ${table} WHERE run_id = ? AND ${sql} ORDER BY ${by.expression.sql} ${by.order}, id ${by.order}`,
  );
  statement.setReturnArrays(true);
  const ids = statement.all(run, ...values, ...by.expression.values) as unknown as [number][];
  return Float64Array.from(ids, ([id]) => id);
}

function countUpTo(
  database: Database,
  range: string,
  place: readonly (string | number)[],
  last: number,
  beyond: string,
): number {
  const row = database
    .prepare(`SELECT count(*) AS n FROM (SELECT id ${range} LIMIT ${MOST_LOOKED_AT}) WHERE NOT id ${beyond} ?`)
    .get(...place, last);
  return Number(row?.n);
}

function all(conditions: readonly Condition[]): Condition {
  return {
    sql: conditions.length === 0 ? '1' : conditions.map(({ sql }) => `(${sql})`).join(' AND '),
    values: conditions.flatMap(({ values }) => values),
  };
}

/** A pattern for `LIKE … ESCAPE '\'` that finds the text anywhere. */
export function escapeLike(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

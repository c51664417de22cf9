// Records as CSV that is safe to open in a spreadsheet: a cell that would be taken for a formula is made text, and none falls
// into two. A spreadsheet that splits lines at semicolons alone finds no cells in it, and is to be told that they are commas.

import { stringify } from 'csv-stringify/sync';
import type { StoredRecord } from '../ledger/record-table.ts';
import type { Json } from '../platform/json.ts';

/** OWASP's list of characters that begin a formula in one spreadsheet or another, some of which pass over blanks. */
const FORMULA = /^(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/;

/** At these, too, some split a line; never within quotes. */
const SEPARATOR = /[;\t]/;

/** A number is no formula, though it may begin with a sign. */
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** The text of a cell, with `'` before anything a spreadsheet would calculate. */
export function safeCell(text: string): string {
  return FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}

/** All columns of the records in the order of their first appearance; nested values get a column of JSON. */
export async function columnsOf(records: AsyncIterable<StoredRecord>): Promise<string[]> {
  const columns = new Set<string>();
  for await (const { data } of records) for (const key of Object.keys(fieldsOf(data))) columns.add(key);
  return [...columns];
}

/** Header and rows; each string is one or more whole lines. */
export async function* csvLines(
  records: AsyncIterable<StoredRecord>,
  columns: readonly string[],
): AsyncGenerator<string> {
  yield line(['kind', 'valid', 'url', ...columns]);
  for await (const { kind, valid, url, data } of records) {
    const fields = fieldsOf(data);
    yield line([
      kind,
      String(valid),
      url,
      ...columns.map((column) => cellOf(Object.hasOwn(fields, column) ? fields[column] : null)),
    ]);
  }
}

function line(cells: readonly string[]): string {
  return stringify([cells.map(safeCell)], { record_delimiter: '', quoted_match: SEPARATOR });
}

function fieldsOf(data: Json): Readonly<Record<string, Json>> {
  return typeof data === 'object' && data !== null && !Array.isArray(data)
    ? (data as Record<string, Json>)
    : { value: data };
}

function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

// JSON columns. What is shown in lists and pages is never stopped by one value that cannot be read: it stands there as
// unreadable. What is worked with must be readable, and the error says which value is not.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { Json } from '../platform/json.ts';

const SHOWN_CHARACTERS = 60;

/** In place of a value that is no JSON: how it begins. */
interface Unreadable {
  readonly unreadable: string;
}

/** The value of a column, for showing. */
export function readJson(column: unknown): Json {
  const text = String(column);
  try {
    return JSON.parse(text);
  } catch {
    return { unreadable: `not JSON: ${text.slice(0, SHOWN_CHARACTERS)}` } satisfies Unreadable;
  }
}

/** What is wrong with a record. */
export function readErrors(column: unknown): { readonly path: string; readonly message: string }[] {
  const value = readJson(column);
  if (Array.isArray(value)) return value as { path: string; message: string }[];
  return [{ path: '', message: 'What is wrong with it cannot be read.' }];
}

/** Whether a column holds JSON. */
export function isJson(column: unknown): boolean {
  try {
    JSON.parse(String(column));
    return true;
  } catch {
    return false;
  }
}

/** The value of a column, for working with it; `what` names it. Throws `ledger_corrupt`. */
export function requireJson(column: unknown, what: string): Json {
  if (!isJson(column)) throw unreadable(what);
  return JSON.parse(String(column));
}

export function isUnreadable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'unreadable' in value && Object.keys(value).length === 1;
}

export function unreadable(what: string): CurlewError {
  return new CurlewError(ErrorCode.ledgerCorrupt, `The ledger's ${what} cannot be read: it is not JSON.`, {
    remedy: 'Restore the data directory from a backup, or begin a new run. Nothing else in the ledger is affected.',
  });
}

// Reads what an author's code yields. What a generator returns at its end is no yield, and would be lost without a word: so it
// is an error.

import { CurlewError, type ErrorCode } from '../platform/errors.ts';
import { describeValue } from '../scraper/author-function.ts';
import { isRecord } from '../scraper/record.ts';
import { isRequest } from '../scraper/request.ts';

/** Every yield, as it comes. `name` is whose they are; throws with `code` when something is returned after them. */
export function* yieldsOf(yields: Iterable<unknown>, name: string, code: ErrorCode): Generator<unknown, void> {
  const returned: unknown = yield* yields;
  if (typeof returned !== 'object' || returned === null) return;
  const how = isIterable(returned) ? 'yield* it' : 'yield it';
  throw new CurlewError(code, `${name} returned ${describeYield(returned)}, which would be lost.`, {
    remedy: `A generator's return value is not read: ${how} instead.`,
  });
}

export function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** What was yielded or given back, for a message: `a record`, `a list`, `an object (a, b)`. */
export function describeYield(value: unknown): string {
  if (isRecord(value)) return 'a record';
  if (isRequest(value)) return 'a request';
  if (Array.isArray(value)) return 'a list';
  return isIterable(value) ? 'an iterator' : describeValue(value);
}

// Functions that authors write. They are pure and give back what they find at once: so none of them can be async.

import { CurlewError, ErrorCode } from '../platform/errors.ts';

const SORTS: Readonly<Record<string, string>> = {
  '[object AsyncFunction]': 'an async function',
  '[object AsyncGeneratorFunction]': 'an async generator',
  '[object GeneratorFunction]': 'a generator',
};

/** Throws `scraper_definition` unless `value` is a function that gives back a value, or yields if it may. */
export function assertFunction(name: string, value: unknown, may: { readonly yield: boolean }): void {
  if (typeof value !== 'function') {
    throw new CurlewError(
      ErrorCode.scraperDefinition,
      `${name} is ${describeValue(value)}, but it must be a function.`,
    );
  }
  const sort = SORTS[Object.prototype.toString.call(value)];
  if (sort === undefined || (may.yield && sort === 'a generator')) return;
  throw new CurlewError(ErrorCode.scraperDefinition, `${name} is ${sort}, but it must be a plain function.`, {
    remedy: 'It gives back its value at once: it does no I/O, and nothing waits for it.',
  });
}

/** What a value is, for a message: `null`, `a promise`, `"2020"`, `an object (a, b)`. */
export function describeValue(value: unknown): string {
  if (value instanceof Promise) return 'a promise';
  if (Array.isArray(value)) return `[${value.map(describeValue).join(', ')}]`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) {
    return value instanceof Date ? 'a Date' : `an object (${Object.keys(value).join(', ')})`;
  }
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** True for `{ … }` as an author writes it: no array, no instance of a class. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

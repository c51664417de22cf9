// A setting that comes from the environment: its names, its default, what it means and how its text is read.

import { findFileHostFault } from '../../fetch/guard/file-hosts.ts';

type Reading<T> =
  | { readonly kind: 'value'; readonly value: T }
  /** Out of range, and moved to the nearest value that makes sense. */
  | { readonly kind: 'clamped'; readonly value: T; readonly why: string }
  | { readonly kind: 'invalid'; readonly why: string };

export interface Variable<T> {
  /** The first name that is set counts. */
  readonly names: readonly [string, ...string[]];
  readonly fallback: T;
  /** The default as a person would write it into the environment; empty when there is none. */
  readonly defaultText: string;
  readonly meaning: string;
  /** Never shown. */
  readonly secret: boolean;
  read(text: string): Reading<T>;
}

type Names = readonly [string, ...string[]];

/** A number of seconds above 0, held in ms. Anything else is an error. */
export function timeout(names: Names, seconds: number, meaning: string): Variable<number> {
  return duration(names, seconds, 1_000, meaning, (value) => value > 0, 'a number of seconds above 0');
}

/** A number of seconds, 0 included, held in ms. */
export function pause(names: Names, seconds: number, meaning: string): Variable<number> {
  return duration(names, seconds, 1_000, meaning, (value) => value >= 0, 'a number of seconds, 0 or more');
}

/** A number of milliseconds above 0. */
export function milliseconds(names: Names, ms: number, meaning: string): Variable<number> {
  return duration(names, ms, 1, meaning, (value) => value > 0, 'a number of milliseconds above 0');
}

/** A whole number that is moved up to `least` rather than refused. Text that is no number is moved there too. */
export function clamped(names: Names, fallback: number, least: number, meaning: string): Variable<number> {
  const read = (text: string): Reading<number> => {
    const value = Math.trunc(Number(text));
    if (text.trim() !== '' && value >= least && Number.isSafeInteger(value)) return { kind: 'value', value };
    return { kind: 'clamped', value: least, why: `must be a whole number of at least ${least}` };
  };
  return { names, fallback, defaultText: String(fallback), meaning, secret: false, read };
}

/** A whole number of at least `least`. Anything else is an error. */
export function count(names: Names, fallback: number, least: number, meaning: string): Variable<number> {
  const read = (text: string): Reading<number> => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isSafeInteger(value) && value >= least) return { kind: 'value', value };
    return { kind: 'invalid', why: `must be a whole number of at least ${least}` };
  };
  return { names, fallback, defaultText: String(fallback), meaning, secret: false, read };
}

/** `1`, `true`, `yes`, `on` or their opposites. */
export function flag(names: Names, fallback: boolean, meaning: string): Variable<boolean> {
  const read = (text: string): Reading<boolean> => {
    const word = text.trim().toLowerCase();
    if (['1', 'true', 'yes', 'on'].includes(word)) return { kind: 'value', value: true };
    if (['0', 'false', 'no', 'off', ''].includes(word)) return { kind: 'value', value: false };
    return { kind: 'invalid', why: 'must be 1 or 0' };
  };
  return { names, fallback, defaultText: fallback ? '1' : '0', meaning, secret: false, read };
}

/** An http or https address. */
export function address(names: Names, fallback: string | undefined, meaning: string): Variable<string | undefined> {
  const read = (text: string): Reading<string | undefined> => {
    const url = URL.parse(text.trim());
    if (url !== null && /^https?:$/.test(url.protocol)) return { kind: 'value', value: url.href };
    return { kind: 'invalid', why: 'must be an http or https address' };
  };
  return { names, fallback, defaultText: fallback ?? '', meaning, secret: false, read };
}

/** Hosts that files may come from, as `file-hosts.ts` reads them. */
export function fileHosts(names: Names, fallback: string, meaning: string): Variable<string> {
  const read = (text: string): Reading<string> => {
    const why = findFileHostFault(text);
    return why === undefined ? { kind: 'value', value: text } : { kind: 'invalid', why };
  };
  return { names, fallback, defaultText: fallback, meaning, secret: false, read };
}

/** Any text; blank is none. */
export function secret(names: Names, meaning: string): Variable<string | undefined> {
  const read = (text: string): Reading<string | undefined> => ({
    kind: 'value',
    value: text === '' ? undefined : text,
  });
  return { names, fallback: undefined, defaultText: '', meaning, secret: true, read };
}

function duration(
  names: Names,
  fallback: number,
  unitMs: number,
  meaning: string,
  fits: (value: number) => boolean,
  what: string,
): Variable<number> {
  const read = (text: string): Reading<number> => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value) && fits(value)) return { kind: 'value', value: value * unitMs };
    return { kind: 'invalid', why: `must be ${what}` };
  };
  return { names, fallback: fallback * unitMs, defaultText: String(fallback), meaning, secret: false, read };
}

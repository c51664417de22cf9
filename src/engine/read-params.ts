// What a run is asked for, checked at the border: which entries run, and with which parameters.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { findNonJson, type Json } from '../platform/json.ts';
import { didYouMean } from '../platform/nearest.ts';
import { describeValue, isPlainObject } from '../scraper/author-function.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { Entry } from '../scraper/entry.ts';
import type { AnyScraperParams } from '../scraper/scraper.ts';
import { validate } from '../scraper/validate.ts';

const PARAMS = ['entries', 'speculative', 'only'] as const;

/** What a scraper was given as its parameters, which may be anything. Throws `invalid_parameter`. */
export function readScraperParams(scraper: string, given: unknown): AnyScraperParams {
  const wrong = (what: string, remedy: string) =>
    new CurlewError(ErrorCode.invalidParameter, `The parameters of ${scraper} ${what}.`, { remedy });
  if (!isPlainObject(given)) throw wrong(`are ${describeValue(given)}`, `Start from ${scraper}.params().`);
  for (const key of Object.keys(given)) {
    if ((PARAMS as readonly string[]).includes(key)) continue;
    throw wrong(`have no ${key}`, `${didYouMean(key, PARAMS)}They have: ${PARAMS.join(', ')}.`);
  }
  const { entries = {}, speculative = {}, only } = given;
  if (!isPlainObject(entries))
    throw wrong(`have entries that are ${describeValue(entries)}`, 'Give an object by entry.');
  if (!isPlainObject(speculative)) {
    throw wrong(`have a speculative that is ${describeValue(speculative)}`, 'Give an object by speculator.');
  }
  if (only !== undefined && !(Array.isArray(only) && only.every((name) => typeof name === 'string'))) {
    throw wrong(`have an only that is ${describeValue(only)}`, 'Give a list of names of entries and speculators.');
  }
  return { entries, speculative: speculative as NonNullable<AnyScraperParams['speculative']>, only };
}

export interface PlannedEntry {
  readonly entry: string;
  readonly params: Json | undefined;
}

/**
 * The entries a run begins from: those named by `only`, else all that can run. An entry that takes parameters runs when
 * it was given some, or when it needs none of them. Throws `unknown_entry` or `invalid_parameter`.
 */
export function planEntries(definition: ScraperDefinition, params: AnyScraperParams): PlannedEntry[] {
  for (const name of params.only ?? []) {
    if (!definition.entries.has(name) && !definition.speculators.has(name)) throw unknownEntry(definition, name);
  }
  for (const name of Object.keys(params.entries)) {
    if (!definition.entries.has(name)) throw unknownEntry(definition, name);
  }
  const planned: PlannedEntry[] = [];
  for (const [name, entry] of definition.entries) {
    if (params.only !== undefined && !params.only.includes(name)) continue;
    const given = params.entries[name];
    const asked = params.only !== undefined || given !== undefined;
    if (!asked && entry.schema !== undefined && validate(entry.schema, {}).kind === 'invalid') continue;
    readEntryParams(name, entry, given);
    planned.push({ entry: name, params: readJson(name, given) });
  }
  return planned;
}

/** Throws when neither an entry nor a speculator would run. */
export function assertSomething(
  definition: ScraperDefinition,
  entries: readonly PlannedEntry[],
  walks: readonly unknown[],
): void {
  if (entries.length === 0 && walks.length === 0) throw nothingToRun(definition);
}

/** Checks the parameters of one entry and gives back what its schema makes of them. */
export function readEntryParams(name: string, entry: Entry<unknown>, given: unknown): unknown {
  if (entry.schema === undefined) {
    if (given === undefined || isEmpty(given)) return undefined;
    throw new CurlewError(ErrorCode.invalidParameter, `Entry ${name} takes no parameters.`);
  }
  const checked = validate(entry.schema, given ?? {});
  if (checked.kind === 'valid') return checked.value;
  const issues = checked.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  throw new CurlewError(
    ErrorCode.invalidParameter,
    `The parameters of entry ${name} do not fit: ${issues.join('; ')}`,
    {
      remedy: 'Give them as --param name=value, or as params.entries in code.',
    },
  );
}

function readJson(name: string, given: unknown): Json | undefined {
  if (given === undefined) return undefined;
  const bad = findNonJson(given);
  if (bad === undefined) return given as Json;
  throw new CurlewError(
    ErrorCode.invalidParameter,
    `The parameters of entry ${name} cannot be stored: ${bad} is not JSON.`,
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function unknownEntry(definition: ScraperDefinition, name: string): CurlewError {
  const known = [...definition.entries.keys(), ...definition.speculators.keys()];
  return new CurlewError(ErrorCode.unknownEntry, `${definition.name} has no entry named ${name}.`, {
    remedy: `${didYouMean(name, known)}It has: ${known.join(', ') || 'none'}.`,
  });
}

function nothingToRun(definition: ScraperDefinition): CurlewError {
  const names = [...definition.entries.keys()];
  if (names.length === 0) {
    return new CurlewError(ErrorCode.scraperDefinition, `${definition.name} has no entries.`, {
      remedy: "Declare one: start = entry(() => get('/', this.parse));",
    });
  }
  return new CurlewError(
    ErrorCode.invalidParameter,
    `Every entry of ${definition.name} needs parameters: ${names.join(', ')}.`,
    {
      remedy: `Name one and give its parameters: --entry ${names[0]} --param name=value.`,
    },
  );
}

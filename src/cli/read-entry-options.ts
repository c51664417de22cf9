// `--entry` and `--param` become the parameters of a scraper. Values are text; where the entry's schema wants a number or
// a boolean they are read as one.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { didYouMean } from '../platform/nearest.ts';
import type { JsonSchema, ScraperDescription } from '../scraper/describe.ts';
import type { AnyScraperParams } from '../scraper/scraper.ts';

export interface EntryOptions {
  readonly entry?: readonly string[];
  readonly param?: readonly string[];
}

/** `--param` belongs to the one `--entry` named, or to the one entry that takes parameters. */
export function readEntryOptions(description: ScraperDescription, options: EntryOptions): AnyScraperParams {
  const { entry: only, param: given = [] } = options;
  // Of an entry that does not exist, whatever begins the run has more to say.
  const isUnknown = (name: string) => !description.entries.some((entry) => entry.name === name);
  if (given.length === 0 || only?.some(isUnknown)) return { entries: {}, only };
  const target = targetOf(description, only ?? []);
  const params = Object.fromEntries(given.map((text) => readParam(text, target)));
  return { entries: { [target.name]: params }, only };
}

type DescribedEntry = ScraperDescription['entries'][number];

function targetOf(description: ScraperDescription, named: readonly string[]): DescribedEntry {
  const candidates = description.entries.filter(({ name, params }) =>
    named.length === 0 ? params !== null : named.includes(name),
  );
  const [target, ...others] = candidates;
  if (target !== undefined && others.length === 0) return target;
  const names = description.entries.map(({ name }) => name).join(', ');
  if (candidates.length === 0) {
    throw new CurlewError(ErrorCode.invalidParameter, `No entry of ${description.name} takes parameters.`, {
      remedy: `Leave --param out. Its entries are: ${names}.`,
    });
  }
  throw new CurlewError(ErrorCode.usage, `It is not clear which entry of ${description.name} --param is for.`, {
    remedy: `Name one with --entry. Its entries are: ${names}.`,
  });
}

function readParam(text: string, target: DescribedEntry): [string, unknown] {
  const equals = text.indexOf('=');
  if (equals < 1) {
    throw new CurlewError(ErrorCode.usage, `--param ${text} has no name.`, { remedy: 'Write --param name=value.' });
  }
  const [name, value] = [text.slice(0, equals), text.slice(equals + 1)];
  const properties = target.params?.properties as Readonly<Record<string, JsonSchema>> | undefined;
  if (properties !== undefined && !Object.hasOwn(properties, name)) {
    const known = Object.keys(properties);
    throw new CurlewError(ErrorCode.invalidParameter, `Entry ${target.name} has no parameter ${name}.`, {
      remedy: `${didYouMean(name, known)}Its parameters are: ${known.join(', ') || 'none'}.`,
    });
  }
  return [name, readValue(value, properties?.[name]?.type)];
}

function readValue(text: string, type: unknown): unknown {
  if ((type === 'number' || type === 'integer') && text.trim() !== '' && !Number.isNaN(Number(text)))
    return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

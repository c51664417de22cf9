// Runs one step on one answer and gathers what it yields. Pure but for the author's code. All or nothing: a step that
// throws has yielded nothing.

import type { NewRecord, NewRequest } from '../ledger/page-result.ts';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import { findNonJson, type Json } from '../platform/json.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import { isRecord, type ScrapedRecord } from '../scraper/record.ts';
import { isRequest } from '../scraper/request.ts';
import { validate } from '../scraper/validate.ts';
import { resolveRequest, type YieldedAt } from './resolve-request.ts';
import { describeYield, isIterable, yieldsOf } from './yields-of.ts';

export interface Gathered {
  readonly records: readonly NewRecord[];
  readonly children: readonly NewRequest[];
}

export const NOTHING: Gathered = { records: [], children: [] };

/** Where the page came from, in the terms that its yields need. */
export interface StepPlace {
  readonly step: string;
  /** What relative addresses are resolved against: the page's final URL. */
  readonly base: string;
  readonly depth: number;
  /** The request's identity as text. */
  readonly identity: string;
}

/** Throws what the step throws, and `invalid_request` or `step_failed` for yields that make no sense. */
export function runStep(
  definition: ScraperDefinition,
  place: StepPlace,
  input: unknown,
  context: Json | undefined,
): Gathered {
  const step = definition.stepNamed(place.step);
  const records: NewRecord[] = [];
  const children: NewRequest[] = [];
  const yields = step.call(definition.scraper, input as never, context as never);
  for (const yielded of iterate(yields, definition.name, place.step)) {
    if (isRecord(yielded)) records.push(readRecord(yielded));
    else if (isRequest(yielded)) {
      const occurrence = `${place.identity} ${children.length}`;
      const at: YieldedAt = { base: place.base, depth: place.depth + 1, occurrence };
      children.push(resolveRequest(yielded, at, definition));
    } else throw strangeYield(definition.name, place.step, yielded);
  }
  return { records, children };
}

function iterate(yields: unknown, scraper: string, step: string): Iterable<unknown> {
  const name = `${scraper}.${step}`;
  if (isIterable(yields)) return yieldsOf(yields, name, ErrorCode.stepFailed);
  throw new CurlewError(ErrorCode.stepFailed, `${name} gave back ${describeYield(yields)} instead of yielding.`, {
    remedy: `Write it as a generator: *${step}(page) { yield … }. Steps cannot be async.`,
  });
}

/** A record as the ledger keeps it: checked, and kept with its errors when it does not fit. */
export function readRecord(scraped: ScrapedRecord): NewRecord {
  const checked = validate(scraped.schema, scraped.data);
  const bad = checked.kind === 'valid' ? findNonJson(checked.value) : undefined;
  if (checked.kind === 'valid' && bad === undefined) {
    return { kind: scraped.type, data: checked.value as Json, errors: undefined };
  }
  const errors =
    checked.kind === 'invalid' ? checked.issues : [{ path: bad ?? '', message: 'cannot be stored as JSON' }];
  return { kind: scraped.type, data: asJson(scraped.data), errors };
}

/** The nearest JSON to a value that may be anything: an invalid record is kept, whatever is wrong with it. */
function asJson(value: unknown): Json {
  try {
    return JSON.parse(JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part)) ?? 'null');
  } catch (error) {
    return `unreadable: ${messageOf(error)}`;
  }
}

function strangeYield(scraper: string, step: string, yielded: unknown): CurlewError {
  const each = isIterable(yielded) ? ' Of a list it yields each: yield* list.' : '';
  return new CurlewError(ErrorCode.stepFailed, `${scraper}.${step} yielded ${describeYield(yielded)}.`, {
    remedy: `A step yields what get, post, download and record give back.${each}`,
  });
}

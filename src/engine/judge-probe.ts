// What a speculator itself has to say about an answer to one of its probes.

import type { NewRecord } from '../ledger/page-result.ts';
import type { Judgement, ProbeMark } from '../ledger/probe.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { describeValue } from '../scraper/author-function.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import { Page } from '../scraper/page/page.ts';
import type { SavedFile } from '../scraper/page/saved-file.ts';
import { isRecord } from '../scraper/record.ts';
import type { MissOutcome } from '../scraper/speculate.ts';
import { type Gathered, NOTHING, readRecord } from './run-step.ts';
import { stepFailure } from './step-failure.ts';
import { asAuthor } from './steps/left-behind.ts';
import { describeYield, isIterable, yieldsOf } from './yields-of.ts';

/** Whether a 2xx answer means that the id exists: not so for a "not found" page that `isReal` recognises. */
export function isHit(definition: ScraperDefinition, probe: Pick<ProbeMark, 'speculator'>, page: Page): boolean {
  const isReal = definition.speculators.get(probe.speculator)?.options.isReal;
  if (isReal === undefined) return true;
  const name = `isReal of ${definition.name}.${probe.speculator}`;
  return asAuthor({ owner: definition, name, place: page.url }, () => assertBoolean(name, isReal(page)));
}

function assertBoolean(name: string, answer: unknown): boolean {
  if (typeof answer === 'boolean') return answer;
  // Its outcome is not wanted any more, and must not end the process as an unhandled rejection.
  if (answer instanceof Promise) answer.catch(() => {});
  throw new CurlewError(
    ErrorCode.stepFailed,
    `${name} gave back ${describeValue(answer)}, but it must be true or false.`,
    { remedy: "Compare what it looks for, as in (page) => page.maybe('.number') !== undefined. It cannot be async." },
  );
}

export const NOT_REAL = 'a page that is not real, by isReal';

/** What each of these speculators says of an answer, whoever asked for it. Downloads are not looked into. */
export function judgePage(
  definition: ScraperDefinition,
  speculators: readonly string[],
  input: Page | SavedFile,
): ReadonlyMap<string, Judgement> {
  return new Map(speculators.map((speculator) => [speculator, judge(definition, speculator, input)]));
}

function judge(definition: ScraperDefinition, speculator: string, input: Page | SavedFile): Judgement {
  try {
    const isThere = !(input instanceof Page) || isHit(definition, { speculator }, input);
    return isThere ? { verdict: 'hit', reason: undefined } : { verdict: 'absent', reason: NOT_REAL };
  } catch (error) {
    return { verdict: 'failed', reason: stepFailure(definition.name, speculator, error).reason };
  }
}

/** The records that the author wants for an id that is not there. */
export function recordMiss(definition: ScraperDefinition, probe: ProbeMark, outcome: MissOutcome): Gathered {
  const onMiss = definition.speculators.get(probe.speculator)?.options.onMiss;
  if (onMiss === undefined) return NOTHING;
  const name = `onMiss of ${definition.name}.${probe.speculator}`;
  const records = asAuthor({ owner: definition, name, place: `id ${probe.id}` }, () =>
    recordsIn(name, onMiss(probe.id, outcome)),
  );
  return { records, children: [] };
}

function recordsIn(name: string, yields: unknown): NewRecord[] {
  if (!isIterable(yields)) {
    throw new CurlewError(ErrorCode.stepFailed, `${name} gave back ${describeYield(yields)} instead of records.`, {
      remedy: 'Write it as a generator: *onMiss(id, outcome) { yield record(…); }. It cannot be async.',
    });
  }
  return [...yieldsOf(yields, name, ErrorCode.stepFailed)].map((yielded) => {
    if (isRecord(yielded)) return readRecord(yielded);
    throw new CurlewError(ErrorCode.stepFailed, `${name} gave back ${describeYield(yielded)}, which is no record.`, {
      remedy: 'It gives back what record returns, none or many.',
    });
  });
}

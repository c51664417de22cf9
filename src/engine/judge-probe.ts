// What a speculator itself has to say about an answer to one of its probes.

import type { ProbeMark } from '../ledger/probe.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { describeValue } from '../scraper/author-function.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { Page } from '../scraper/page/page.ts';
import { isRecord } from '../scraper/record.ts';
import type { MissOutcome } from '../scraper/speculate.ts';
import { type Gathered, NOTHING, readRecord } from './run-step.ts';

/** Whether a 2xx answer means that the id exists: not so for a "not found" page that `isReal` recognises. */
export function isHit(definition: ScraperDefinition, probe: ProbeMark, page: Page): boolean {
  const isReal = definition.speculators.get(probe.speculator)?.options.isReal;
  if (isReal === undefined) return true;
  const answer: unknown = isReal(page);
  if (typeof answer === 'boolean') return answer;
  // Its outcome is not wanted any more, and must not end the process as an unhandled rejection.
  if (answer instanceof Promise) answer.catch(() => {});
  throw new CurlewError(
    ErrorCode.stepFailed,
    `isReal of ${definition.name}.${probe.speculator} gave back ${describeValue(answer)}, but it must be true or false.`,
    { remedy: "Compare what it looks for, as in (page) => page.maybe('.number') !== undefined. It cannot be async." },
  );
}

/** The records that the author wants for an id that is not there. */
export function recordMiss(definition: ScraperDefinition, probe: ProbeMark, outcome: MissOutcome): Gathered {
  const onMiss = definition.speculators.get(probe.speculator)?.options.onMiss;
  if (onMiss === undefined) return NOTHING;
  const yields: unknown = onMiss(probe.id, outcome);
  if (typeof yields !== 'object' || yields === null || !(Symbol.iterator in yields)) {
    throw new CurlewError(
      ErrorCode.stepFailed,
      `onMiss of ${definition.name}.${probe.speculator} gave back ${describeValue(yields)} instead of records.`,
      { remedy: 'Write it as a generator: *onMiss(id, outcome) { yield record(…); }. It cannot be async.' },
    );
  }
  const records = [...(yields as Iterable<unknown>)].map((yielded) => {
    if (isRecord(yielded)) return readRecord(yielded);
    throw new CurlewError(
      ErrorCode.stepFailed,
      `onMiss of ${definition.name}.${probe.speculator} gave back something that is no record.`,
      {
        remedy: 'It gives back what record returns, none or many.',
      },
    );
  });
  return { records, children: [] };
}

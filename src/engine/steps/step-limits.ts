// What the author's code may take of time and memory for one answer, and what is said of a page that takes more.

import { ErrorCode } from '../../platform/errors.ts';
import type { StepFailure } from '../step-failure.ts';
import { archivedAs, failedReading, type Reading, type ReadingJob } from './reading.ts';

export interface StepLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
}

/** Why the code that read an answer was ended. */
export type Ended = 'timeout' | 'memory' | 'exit';

/** The page is failed, and says where it can be looked at. */
export function endedReading(scraper: string, job: ReadingJob, why: Ended, limits: StepLimits): Reading {
  const name = nameOf(job);
  const { code, what, remedy } = told(why, limits);
  const said = `${scraper}.${name} ${what}`;
  const failure: StepFailure = {
    code,
    reason: why === 'exit' ? said : `${code}: ${said}`,
    message: `${said}, for ${placeOf(job)}`,
    remedy,
  };
  const probe = job.kind === 'answer' ? (job.spec.probe === undefined ? undefined : 'failed') : job.settled.probe;
  const status = job.kind === 'answer' ? job.response.status : job.miss.status;
  return { ...failedReading(name, status, failure), probe };
}

function nameOf(job: ReadingJob): string {
  if (job.kind === 'miss') return job.probe.speculator;
  return job.spec.step ?? job.spec.probe?.speculator ?? '';
}

function placeOf(job: ReadingJob): string {
  if (job.kind === 'miss') return `id ${job.probe.id}`;
  const { url, body } = job.response;
  switch (body.kind) {
    case 'file':
      return `${url} (stored as ${body.path})`;
    case 'sent':
      return `${url} (archived as ${body.archivedAs})`;
    case 'memory':
      return `${url} (archived as ${archivedAs(body.encoded)})`;
  }
}

function told(why: Ended, { timeoutMs, memoryMb }: StepLimits): { code: ErrorCode; what: string; remedy: string } {
  switch (why) {
    case 'timeout':
      return {
        code: ErrorCode.stepTimeout,
        what: `was not done after ${timeoutMs / 1000} s`,
        remedy:
          'Look for a regular expression that goes back over its text again and again, or a loop in a loop over the page; ' +
          'or give it more time with --step-timeout.',
      };
    case 'memory':
      return {
        code: ErrorCode.stepMemory,
        what: `needed more than ${memoryMb} MB`,
        remedy: 'Yield as you read instead of gathering it all, or give it more with --step-memory.',
      };
    case 'exit':
      return {
        code: ErrorCode.stepFailed,
        what: 'ended its thread',
        remedy: 'Look for what runs on when the step is done: a promise, a timer.',
      };
  }
}

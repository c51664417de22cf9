// A run's health, in words a person can act on. Never green by accident: `ok` needs a completed run, a reason for every
// item, and at least one record.

import type { VerdictCounts } from './verdict.ts';

export const HEALTHS = ['ok', 'suspicious', 'partial', 'failed'] as const;
/** Of a run: `ok` nothing is missing without a reason; `suspicious` too little was found; `partial`; `failed` too much is. */
export type Health = (typeof HEALTHS)[number];

export const RUN_STATUSES = ['running', 'completed', 'interrupted', 'aborted', 'failed'] as const;
/** Where a run stands. `interrupted` and `aborted` ones can be resumed; `failed`: the run itself could not go on. */
export type RunStatus = (typeof RUN_STATUSES)[number];

export interface HealthFacts {
  readonly status: RunStatus;
  readonly requests: VerdictCounts;
  readonly records: number;
  readonly invalid: number;
  /** Whether something was left out on purpose, by a budget. */
  readonly cutShort: boolean;
  /** Records of the last completed run that was asked for the same; undefined when there is none. */
  readonly recordsBefore: number | undefined;
  /** Items that the lists of a site had in the run before and have not any more. */
  readonly missing: number;
}

const FAILED_ABOVE = 0.4;
const SUSPICIOUS_BELOW = 0.5;

export function judgeHealth(facts: HealthFacts): Health {
  const { requests } = facts;
  if (facts.status === 'failed') return 'failed';
  const bad = requests.failed + requests.blocked + requests.unknown;
  const settled = requests.done + requests.absent + requests.skipped + bad;
  if (bad > FAILED_ABOVE * settled || facts.invalid > FAILED_ABOVE * facts.records) return 'failed';
  if (facts.status !== 'completed' || requests.pending > 0 || bad > 0 || facts.invalid > 0 || facts.cutShort) {
    return 'partial';
  }
  if (facts.missing > 0 || facts.records === 0 || facts.records < SUSPICIOUS_BELOW * (facts.recordsBefore ?? 0))
    return 'suspicious';
  return 'ok';
}

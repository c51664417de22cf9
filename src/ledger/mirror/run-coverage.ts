// How much of its worklist a mirror run got, and what that makes of its health (section 11 of the mirror's design, with one
// change: a quiet day is ok if the site confirmed the index, and nothing is ok by an index that it did not confirm or that
// cannot be read whole). Pure.

import { assertNever } from '../../platform/errors.ts';
import type { Health, RunStatus } from '../health.ts';

export interface RunCoverage {
  /** Active cases of the source. */
  readonly casesTotal: number;
  /** Size of the worklist. */
  readonly casesPlanned: number;
  readonly casesAttempted: number;
  readonly casesDownloaded: number;
  readonly casesFailed: number;
  readonly casesSkipped: number;
}

/** How far the index says what there is to fetch: all of it, all but rows that cannot be read, or what it was before. */
export type IndexGrade = 'whole' | 'unreadable_rows' | 'not_confirmed';

const OK_FROM = 0.95;
const FAILED_BELOW = 0.1;

export function coverageRatio({ casesDownloaded, casesPlanned }: RunCoverage): number {
  return casesDownloaded / Math.max(casesPlanned, 1);
}

/**
 * Only a completed run can be `ok`: one that failed before it had a worklist has nothing to be measured by. Without a
 * confirmed index nobody knows what there is to fetch: then `ok` becomes `suspicious`. Rows that cannot be read may be
 * cases: then it becomes `partial`.
 */
export function judgeRunHealth(status: RunStatus, coverage: RunCoverage, index: IndexGrade): Health {
  if (status === 'failed') return 'failed';
  const health = judgeCoverage(coverage);
  if (health !== 'ok') return health;
  if (status !== 'completed') return 'partial';
  switch (index) {
    case 'whole':
      return 'ok';
    case 'unreadable_rows':
      return 'partial';
    case 'not_confirmed':
      return 'suspicious';
    default:
      return assertNever(index);
  }
}

function judgeCoverage(coverage: RunCoverage): Health {
  const { casesPlanned, casesAttempted, casesFailed } = coverage;
  if (casesPlanned === 0) return 'ok';
  if (casesAttempted === 0) return 'suspicious';
  const ratio = coverageRatio(coverage);
  if (ratio >= OK_FROM && casesFailed === 0) return 'ok';
  if (ratio < FAILED_BELOW && casesFailed > 0) return 'failed';
  return 'partial';
}

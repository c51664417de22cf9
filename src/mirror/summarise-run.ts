// What a run came to, with times as text.

import { isoTime } from '../ledger/iso-time.ts';
import type { RunId } from '../ledger/run.ts';
import type { Instant } from '../platform/clock.ts';
import type { RunSummary } from './scrape-params.ts';

/** What is left out is 0; a dry run has no id. */
export function summariseRun({
  startedAt,
  endedAt,
  ...counts
}: Pick<RunSummary, 'casesTotal' | 'casesTargeted'> &
  Partial<Omit<RunSummary, 'startedAt' | 'endedAt'>> & {
    readonly startedAt: Instant;
    readonly endedAt: Instant;
  }): RunSummary {
  return {
    runId: 0 as RunId,
    downloadsCompleted: 0,
    downloadsFailed: 0,
    downloadsSkipped: 0,
    errorCounts: {},
    ...counts,
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
  };
}

// What a run came to, with times as text.

import { isoTime } from '../ledger/iso-time.ts';
import type { RunId } from '../ledger/run.ts';
import type { Instant } from '../platform/clock.ts';

/** What a run of the mirror came to. */
export interface MirrorRunSummary {
  /** 0 for a dry run, which leaves no run. */
  readonly runId: RunId;
  /** Active cases of the source. */
  readonly casesTotal: number;
  /** Size of the worklist. */
  readonly casesTargeted: number;
  readonly downloadsCompleted: number;
  /** Of these: files that were held before and came with other bytes. The earlier ones are kept. */
  readonly filesAmended: number;
  readonly downloadsFailed: number;
  readonly downloadsSkipped: number;
  /** By error code. */
  readonly errorCounts: Readonly<Record<string, number>>;
  /** What could not be brought up to date, as a sentence; undefined when the site confirmed the index. */
  readonly staleIndex: string | undefined;
  /** How many rows of the index cannot be read, as sentences; undefined when all can be. */
  readonly unreadableRows: string | undefined;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly endedAt: string;
}

/** What is left out is 0; a dry run has no id. */
export function summariseRun({
  startedAt,
  endedAt,
  ...counts
}: Pick<MirrorRunSummary, 'casesTotal' | 'casesTargeted'> &
  Partial<Omit<MirrorRunSummary, 'startedAt' | 'endedAt'>> & {
    readonly startedAt: Instant;
    readonly endedAt: Instant;
  }): MirrorRunSummary {
  return {
    runId: 0 as RunId,
    downloadsCompleted: 0,
    filesAmended: 0,
    downloadsFailed: 0,
    downloadsSkipped: 0,
    errorCounts: {},
    staleIndex: undefined,
    unreadableRows: undefined,
    ...counts,
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
  };
}

// What a run is going to do, and for everything else why not, as one event. Pure.

import type { CsvVersion } from '../ledger/mirror/csv-version.ts';
import type { MirrorEvent } from '../ledger/mirror/mirror-event.ts';
import { assertNever } from '../platform/errors.ts';
import type { CsvSyncResult } from './csv/csv-sync-result.ts';
import type { UnreadableRow } from './csv/read-index.ts';
import type { SkipReason } from './error-codes.ts';
import type { ScrapeParams } from './scrape-params.ts';
import { countReasons } from './worklist/build-worklist.ts';
import type { OutReason, Worklist } from './worklist/plan-worklist.ts';

const NO_TOKEN: readonly UnreadableRow['reason'][] = ['no token', 'invalid token'];

export function planEvent(
  { mode, resumeStrategy, limit, dryRun }: ScrapeParams,
  sync: CsvSyncResult,
  version: CsvVersion | undefined,
  worklist: Worklist,
): MirrorEvent {
  const skipped: Partial<Record<SkipReason, number>> = {};
  const count = (reason: SkipReason, cases: number) => {
    if (cases > 0) skipped[reason] = (skipped[reason] ?? 0) + cases;
  };
  for (const { reason } of worklist.leftOut) count(skipReasonOf(reason), 1);
  count('in_run_dup', sync.duplicates.length);
  count('invalid_token', sync.unreadable.filter(({ reason }) => NO_TOKEN.includes(reason)).length);
  return {
    label: 'PLAN',
    fields: {
      phase: 'worklist',
      mode,
      resume_strategy: mode === 'resume' ? resumeStrategy : undefined,
      limit,
      dry_run: dryRun || undefined,
      csv_version_id: sync.versionId,
      planned: worklist.planned.length,
      reasons: countReasons(worklist),
      // A list: what an object has under a name such as invalid_token is taken for a secret.
      skipped: Object.entries(skipped).map(([reason, cases]) => ({ reason, cases })),
      unreadable_rows: version?.unreadableRows?.count,
      rows_without_file: version?.rowsWithoutFile?.count,
    },
  };
}

/** Why a case is not on the worklist, in the words of the error codes. */
function skipReasonOf(reason: OutReason): SkipReason {
  switch (reason) {
    case 'inactive':
      return 'csv_miss';
    case 'already_downloaded':
      return 'already_downloaded';
    case 'criminal':
    case 'limit':
    case 'not_asked_for':
      return 'worklist_filtered';
    case 'in_progress':
    case 'not_resumed':
      return 'seen_history';
    default:
      return assertNever(reason);
  }
}

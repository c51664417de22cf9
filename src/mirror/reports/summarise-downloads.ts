// What the downloads of a run came to, and why those that did not.

import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import { requireRun } from './run-reports.ts';

export interface DownloadSummary {
  readonly run_id: number;
  /** Every status, also those with 0. */
  readonly status_counts: Readonly<Record<string, number>>;
  /** By error code, the most frequent first. */
  readonly fail_reasons: Readonly<Record<string, number>>;
  readonly skip_reasons: Readonly<Record<string, number>>;
}

/** Throws `run_not_found`, before anything is counted. */
export async function summariseDownloadsForRun(ledger: MirrorLedger, id: number): Promise<DownloadSummary> {
  const run = await requireRun(ledger, id);
  const { byStatus, failReasons, skipReasons } = await ledger.countDownloads(run.id);
  return { run_id: run.id, status_counts: byStatus, fail_reasons: failReasons, skip_reasons: skipReasons };
}

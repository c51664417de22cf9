// The run that a path names.

import type { Ledger } from '../../ledger/ledger.ts';
import type { Stamp } from '../../ledger/reports/heavy-reports.ts';
import type { ReportedRun } from '../../ledger/reports/run-report.ts';
import { HttpError } from '../http/http-error.ts';

/** Throws 404 `run_not_found`. */
export async function requireRun({ reports }: Ledger, id: number): Promise<ReportedRun> {
  const run = await reports.run(id);
  if (run === undefined) throw runNotFound(id);
  return run;
}

export function runNotFound(id: number): HttpError {
  return new HttpError(404, 'run_not_found', { run_id: id });
}

/** Changes when a run begins, ends, or is gone on with: reports of it are then made anew. */
export function stampOf({ status, endedAt }: ReportedRun): Stamp {
  return { stamp: `${status} ${endedAt}`, isLive: status === 'running' };
}

// Where a run stands at this moment. A run whose owner died is not running, whatever the ledger was told last.

import type { RunStatus } from '../ledger/health.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Run } from '../ledger/run.ts';

/** The status of a run, and what only a look at its process can tell. `not_started`: no process ever had it. */
export type RunState = RunStatus | 'killed' | 'not_started';

export async function stateNow(ledger: Ledger, run: Run): Promise<RunState> {
  if (run.status !== 'running' || (await ledger.holderOf(run.id)) !== undefined) return run.status;
  // It may have ended, and its process be gone, after it was read.
  const { status } = await ledger.run(run.id);
  if (status !== 'running') return status;
  return (await ledger.reports.ownerOf(run.id)).state === 'none' ? 'not_started' : 'killed';
}

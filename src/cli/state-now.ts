// Where a run stands at this moment. A run whose owner died is not running, whatever the ledger was told last.

import type { RunStatus } from '../ledger/health.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Run } from '../ledger/run.ts';

/** The status of a run, and what only a look at its process can tell. */
export type RunState = RunStatus | 'killed';

export async function stateNow(ledger: Ledger, run: Run): Promise<RunState> {
  if (run.status !== 'running' || (await ledger.holderOf(run.id)) !== undefined) return run.status;
  // It may have ended, and its process be gone, after it was read.
  const { status } = await ledger.run(run.id);
  return status === 'running' ? 'killed' : status;
}

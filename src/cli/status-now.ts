// Where a run stands at this moment. A run whose owner died is not running, whatever the ledger was told last.

import type { RunStatus } from '../ledger/health.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Run } from '../ledger/run.ts';

export async function statusNow(ledger: Ledger, run: Run): Promise<RunStatus> {
  const abandoned = run.status === 'running' && (await ledger.holderOf(run.id)) === undefined;
  return abandoned ? 'interrupted' : run.status;
}

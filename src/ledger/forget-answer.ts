// What was said of a request is taken back when it is in the queue again.

import type { CountChanges } from './count-table.ts';
import type { LedgerTables } from './ledger-tables.ts';
import type { ReopenedRequest } from './request-table.ts';

/** Takes back what was said of a request that is in the queue again. Call it within a transaction. */
export function forgetAnswer(
  { records, walks, judgements }: LedgerTables,
  { id, hostId, verdict }: ReopenedRequest,
  changes: CountChanges,
): void {
  const { total, invalid } = records.removeOf(id);
  walks.reopen(id);
  judgements.removeOf(id);
  changes.add(hostId, verdict, -1);
  changes.add(hostId, 'pending', 1);
  changes.add(hostId, 'record', -total);
  changes.add(hostId, 'invalid', -invalid);
}

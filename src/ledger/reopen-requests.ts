// Puts requests that came to nothing back into the queue of a run that nobody works on. What was said of them is taken back,
// and the run is no longer complete: a resume asks for them again.

import type { Instant } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { CountChanges } from './count-table.ts';
import { forgetAnswer } from './forget-answer.ts';
import type { LedgerTables } from './ledger-tables.ts';
import type { RunId } from './run.ts';
import { summarise } from './summarise.ts';
import type { Verdict } from './verdict.ts';

/** One request, or all that came to the same for the same reason. Left out is any; null is none. */
export type WhichRequests =
  | { readonly request: number }
  | {
      readonly verdict: Exclude<Verdict, 'done'>;
      readonly reason?: string | null | undefined;
      readonly step?: string | null | undefined;
    };

/** Gives how many. Throws `run_owned` when a process works on the run. Call it within a transaction. */
export function reopenRequests(tables: LedgerTables, run: RunId, which: WhichRequests, now: Instant): number {
  const holder = tables.ownership.holderOf(run, now);
  if (holder !== undefined) {
    throw new CurlewError(ErrorCode.runOwned, `Run ${run} is being worked on by process ${holder.pid}.`, {
      remedy: 'Let it finish, or stop it; then put requests back and resume it.',
    });
  }
  const changes = new CountChanges();
  const reopened = tables.requests.reopen(run, which);
  if (reopened.length === 0) return 0;
  for (const request of reopened) {
    forgetAnswer(tables, request, changes);
    tables.events.add(run, request.id, { kind: 'requeued', data: { was: request.verdict } }, now);
  }
  tables.counts.add(run, changes, now);
  tables.coverage.drop(run);
  tables.runs.setStatus(run, 'interrupted', undefined, undefined, now);
  tables.runs.setStatus(run, 'interrupted', summarise(tables, run).health, undefined, now);
  return reopened.length;
}

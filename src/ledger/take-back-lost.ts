// Rows whose bytes a power cut has taken from the archive: they are taken back as if they had not been committed, and their
// requests are in the queue again.

import type { Instant } from '../platform/clock.ts';
import { CountChanges } from './count-table.ts';
import type { StoredExchange } from './exchange-table.ts';
import { forgetAnswer } from './forget-answer.ts';
import type { LedgerTables } from './ledger-tables.ts';
import type { RunId } from './run.ts';

/** The end of a segment that is lost: from `end` on, with all exchanges that lie there. */
export interface LostTail {
  readonly segment: number;
  readonly end: number;
  readonly exchanges: readonly StoredExchange[];
  /** Why, for a person. */
  readonly reason: string;
}

/** Gives how many requests are asked again. Call it within a transaction. */
export function takeBackLost(tables: LedgerTables, run: RunId, lost: readonly LostTail[], now: Instant): number {
  const changes = new CountChanges();
  const requests = new Set(lost.flatMap(({ exchanges }) => exchanges.map(({ requestId }) => requestId)));
  for (const id of requests) {
    const reopened = tables.requests.reopenSettled(id);
    if (reopened !== undefined) forgetAnswer(tables, reopened, changes);
  }
  for (const { segment, end, exchanges, reason } of lost) {
    tables.exchanges.cut(segment, end, exchanges);
    const urls = [...new Set(exchanges.map(({ url }) => url))];
    const data = { segment, end, reason, count: urls.length, urls: urls.slice(0, MOST_NAMED) };
    tables.events.add(run, undefined, { kind: 'archive_lost', data }, now);
  }
  tables.counts.add(run, changes, now);
  return requests.size;
}

/** Addresses that an event names. */
const MOST_NAMED = 100;

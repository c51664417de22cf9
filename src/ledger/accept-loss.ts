// Accepts that a part of the archive is lost: its exchanges keep their rows and are marked, the segments end with what is
// there, and requests whose answer was in it are in the queue again, without what was said of them.

import type { Instant } from '../platform/clock.ts';
import { CountChanges } from './count-table.ts';
import type { ShortSegment, StoredExchange } from './exchange-table.ts';
import { forgetAnswer } from './forget-answer.ts';
import type { LedgerTables } from './ledger-tables.ts';
import type { RequestId } from './page-result.ts';
import type { RunId } from './run.ts';

/** Call it within a transaction of the run's owner. */
export function acceptLoss(tables: LedgerTables, run: RunId, short: readonly ShortSegment[], now: Instant): void {
  const { exchanges, requests, events, counts } = tables;
  const affected = new Set<RequestId>();
  for (const exchange of exchanges.cutOff(run, short)) {
    exchanges.markLost(exchange, reasonOf(exchange, short));
    affected.add(exchange.requestId);
  }
  exchanges.shrinkSegments(run, short);
  const changes = new CountChanges();
  for (const id of affected) {
    if (!lastAnswer(exchanges.ofRequest(id)).some((exchange) => exchange.lost !== undefined)) continue;
    const reopened = requests.reopenSettled(id);
    if (reopened === undefined) continue;
    forgetAnswer(tables, reopened, changes);
    events.add(run, id, { kind: 'requeued', data: { was: reopened.verdict, because: 'its page is lost' } }, now);
  }
  counts.add(run, changes, now);
}

/** The redirects and the answer that a request ended with, without attempts before it. */
function lastAnswer(exchanges: readonly StoredExchange[]): readonly StoredExchange[] {
  return exchanges.slice(exchanges.findLastIndex(({ hop }) => hop === 0));
}

function reasonOf({ segment, responseOffset, responseLength }: StoredExchange, short: readonly ShortSegment[]): string {
  const cut = short.find((one) => one.segment === segment && responseOffset + responseLength > one.size);
  return cut === undefined
    ? 'the bytes that it repeats are lost'
    : `segment ${segment} has ${cut.size} of ${cut.end} bytes`;
}

// A page of ids of a long list: in the order of ids by a bounded look along them, in any other order from the sorted list
// that the heavy reports keep.

import type { Condition, Listed } from '../../ledger/reports/list-rows.ts';
import type { ReportedRun } from '../../ledger/reports/run-report.ts';
import { decodeCursor, encodeCursor, IdPlace, OffsetPlace } from '../http/cursor.ts';
import type { ServerContext } from '../server-context.ts';
import { stampOf } from './require-run.ts';

export interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** What to sort by; undefined: the id. */
  readonly by: Condition | undefined;
}

export interface PageOfIds {
  readonly ids: readonly number[];
  readonly next: string | null;
  readonly searched: number | null;
  /** How many rows fit, where that is known. */
  readonly total: number | null;
}

export async function pageOfIds(
  context: ServerContext,
  run: ReportedRun,
  listed: Listed,
  { cursor, limit, order, by }: PageQuery,
): Promise<PageOfIds> {
  if (by !== undefined) {
    const offset = decodeCursor(cursor, OffsetPlace)?.offset ?? 0;
    const job = { kind: 'sort', listed, by: { expression: by, order } } as const;
    const ids = await context.heavy.ask(job, stampOf(run), cursor !== undefined);
    const end = offset + limit;
    return {
      ids: [...ids.subarray(offset, end)],
      next: end < ids.length ? encodeCursor({ offset: end }) : null,
      searched: null,
      total: ids.length,
    };
  }
  const place = decodeCursor(cursor, IdPlace);
  const { ids, looked, next } = await context.ledger.reports.scan(listed, { after: place?.after, limit, order });
  const searched = (place?.searched ?? 0) + looked;
  const isFiltered = listed.conditions.length > 0;
  return {
    ids,
    next: next === undefined ? null : encodeCursor({ after: next, searched }),
    searched: isFiltered ? searched : null,
    total: null,
  };
}

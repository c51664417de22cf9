// A page of a list that is in memory as a whole, in its order.

import { decodeCursor, encodeCursor, OffsetPlace } from './cursor.ts';

export interface PageOfRows<Row> {
  readonly ok: true;
  readonly rows: Row[];
  readonly next: string | null;
  readonly total: number;
  readonly searched: null;
}

export function pageOfRows<Row>(
  all: readonly Row[],
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
): PageOfRows<Row> {
  const offset = decodeCursor(cursor, OffsetPlace)?.offset ?? 0;
  const end = offset + limit;
  const next = end < all.length ? encodeCursor({ offset: end }) : null;
  return { ok: true, rows: all.slice(offset, end), next, total: all.length, searched: null };
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  appendPage,
  type KeysetList,
  listLength,
  NO_ROWS,
  needsPage,
  rowsBeyond,
  visibleWindow,
} from '../../web/src/lib/keyset-list.ts';

/** A server with that many rows, of which it knows the number or not. */
function serve(total: number, limit: number, tellsTotal: boolean) {
  return (cursor: string | null | undefined) => {
    const from = Number(cursor ?? 0);
    const rows = Array.from({ length: Math.min(limit, total - from) }, (_, at) => from + at);
    const next = from + limit < total ? String(from + limit) : null;
    return { rows, next, total: tellsTotal ? total : null, searched: null };
  };
}

function loadUntil(end: number, page: ReturnType<typeof serve>): KeysetList<number> {
  let list: KeysetList<number> = NO_ROWS;
  while (needsPage(list, end)) list = appendPage(list, page(list.next));
  return list;
}

describe('a list of pages', () => {
  it('has every row once and in order, as far as it was looked at', () => {
    fc.assert(
      fc.property(
        fc.nat(500),
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        fc.nat(600),
        (total, limit, tells, end) => {
          const list = loadUntil(end, serve(total, limit, tells));
          expect(list.rows).toEqual(Array.from(list.rows, (_, at) => at));
          expect(list.rows.length).toBeGreaterThanOrEqual(Math.min(end, total));
          // No more than a page too much.
          expect(list.rows.length).toBeLessThan(Math.max(1, end) + limit);
          if (list.next === null) expect(listLength(list)).toBe(total);
        },
      ),
    );
  });

  it('is as long as the server says; when it does not say, one longer than what is there', () => {
    expect(listLength(loadUntil(10, serve(100_000, 100, true)))).toBe(100_000);
    expect(listLength(loadUntil(10, serve(100_000, 100, false)))).toBe(101);
  });

  it('goes on after a page without rows, as a search gives it', () => {
    const list = appendPage<number>(NO_ROWS, { rows: [], next: 'on', total: null, searched: 5_000 });
    expect(needsPage(list, 20)).toBe(true);
    expect(list.searched).toBe(5_000);
  });

  it('ends where a browser can scroll no further, and says how much is beyond', () => {
    const huge = { rows: [], next: 'on', total: 1_000_000, searched: null };
    expect(listLength(huge)).toBe(250_000);
    expect(rowsBeyond(huge)).toBe(750_000);
  });
});

describe('the rows in sight', () => {
  it('are all drawn, and few others', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(4_000_000), fc.integer({ min: 1, max: 2_000 }), (length, top, height) => {
        const rowHeight = 37;
        const { first, end } = visibleWindow(length, top, height, rowHeight);
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(length);
        expect(end - first).toBeLessThanOrEqual(Math.ceil(height / rowHeight) + 21);
        const lastTop = Math.max(0, Math.min(top, length * rowHeight - height));
        const inSight = Math.floor(lastTop / rowHeight);
        if (inSight < length && top <= lastTop) {
          expect(first).toBeLessThanOrEqual(inSight);
          expect(end).toBeGreaterThanOrEqual(Math.min(length, Math.ceil((lastTop + height) / rowHeight)));
        }
      }),
    );
  });
});

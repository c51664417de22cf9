// A long list that comes page by page, each with the cursor of the next. Rows keep their place once they are there; how long
// the list will be is what the server says, else what is there and one more while there is more.

export interface KeysetPage<Row> {
  readonly rows: readonly Row[];
  readonly next: string | null;
  readonly total: number | null;
  readonly searched: number | null;
}

export interface KeysetList<Row> {
  readonly rows: readonly Row[];
  /** Where to go on; null at the end, undefined before the first page. */
  readonly next: string | null | undefined;
  readonly total: number | null;
  readonly searched: number | null;
}

export const NO_ROWS: KeysetList<never> = { rows: [], next: undefined, total: null, searched: null };

/** A browser draws no element that is higher than about 17 million pixels. */
const MOST_ROWS = 250_000;

export function appendPage<Row>(list: KeysetList<Row>, page: KeysetPage<Row>): KeysetList<Row> {
  return { ...page, rows: page.rows.length === 0 ? list.rows : [...list.rows, ...page.rows] };
}

/** How many rows the scroll bar stands for. */
export function listLength({ rows, next, total }: KeysetList<unknown>): number {
  if (next === null) return Math.min(rows.length, MOST_ROWS);
  return Math.min(Math.max(total ?? 0, rows.length + 1), MOST_ROWS);
}

/** Rows that exist and are beyond what can be scrolled to. */
export function rowsBeyond(list: KeysetList<unknown>): number {
  return Math.max(0, (list.total ?? list.rows.length) - MOST_ROWS);
}

/** Whether the next page is needed to show the rows before `end`. */
export function needsPage({ rows, next }: KeysetList<unknown>, end: number): boolean {
  return next !== null && rows.length < MOST_ROWS && (next === undefined || end > rows.length);
}

export interface Window {
  /** The first row to draw. */
  readonly first: number;
  /** After the last one. */
  readonly end: number;
}

/** Which rows are to be drawn, with some beyond the edges for the next scroll. */
export function visibleWindow(length: number, scrollTop: number, height: number, rowHeight: number, over = 10): Window {
  const first = Math.min(Math.floor(Math.max(0, scrollTop) / rowHeight), Math.max(0, length - 1));
  const shown = Math.ceil(height / rowHeight) + 1;
  return { first: Math.max(0, first - over), end: Math.min(length, first + shown + over) };
}

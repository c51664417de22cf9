// The ids of a walk as a grid: 100 cells a row, each for one id or for as many as it takes to stay within the rows there
// are room for. A cell of many ids shows the worst of them, so that no refused id is lost in a crowd.

export const ID_STATES = {
  h: { name: 'hit', verdict: 'done' },
  a: { name: 'absent', verdict: 'absent' },
  s: { name: 'skipped', verdict: 'skipped' },
  b: { name: 'refused', verdict: 'blocked' },
  f: { name: 'failed', verdict: 'failed' },
  u: { name: 'no usable answer', verdict: 'unknown' },
  d: { name: 'duplicate', verdict: 'duplicate' },
  p: { name: 'pending', verdict: 'pending' },
  n: { name: 'not asked', verdict: 'none' },
} as const;

export type IdLetter = keyof typeof ID_STATES;

export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly letter: IdLetter;
}

/** Neighbouring cells of a row that show the same. */
interface Segment extends Stretch {
  readonly column: number;
  readonly cells: number;
}

export interface GapGrid {
  readonly idsPerCell: number;
  readonly rows: readonly { readonly first: number; readonly last: number; readonly segments: readonly Segment[] }[];
}

const COLUMNS = 100;
const MOST_ROWS = 24;
const WORST_FIRST: readonly IdLetter[] = ['b', 'f', 'u', 'p', 'd', 's', 'a', 'h', 'n'];

/** `119h12a` from 1 on: ids 1 to 119 are hits, 120 to 131 absent. Letters that are not known are left out. */
export function readStretches(from: number | null, runs: string): Stretch[] {
  const stretches: Stretch[] = [];
  let at = from ?? 0;
  for (const [, length = '', letter = ''] of runs.matchAll(/(\d+)([a-z])/g)) {
    const end = at + Number(length);
    if (letter in ID_STATES && end > at) stretches.push({ from: at, to: end - 1, letter: letter as IdLetter });
    at = end;
  }
  return stretches;
}

export function layOutGapMap(stretches: readonly Stretch[]): GapGrid {
  const [first] = stretches;
  const last = stretches.at(-1);
  if (first === undefined || last === undefined) return { idsPerCell: 1, rows: [] };
  const ids = last.to - first.from + 1;
  const idsPerCell = Math.max(1, Math.ceil(ids / (COLUMNS * MOST_ROWS)));
  const cells = worstByCell(stretches, first.from, idsPerCell, Math.ceil(ids / idsPerCell));
  const rows = [];
  for (let start = 0; start < cells.length; start += COLUMNS) {
    const idOf = (cell: number) => first.from + (start + cell) * idsPerCell;
    const segments = segmentsOf(cells.slice(start, start + COLUMNS), idOf, last.to);
    rows.push({ first: idOf(0), last: Math.min(last.to, idOf(COLUMNS) - 1), segments });
  }
  return { idsPerCell, rows };
}

function worstByCell(stretches: readonly Stretch[], from: number, idsPerCell: number, count: number): IdLetter[] {
  const ranks = new Array<number>(count).fill(WORST_FIRST.length - 1);
  for (const stretch of stretches) {
    const rank = WORST_FIRST.indexOf(stretch.letter);
    const end = Math.floor((stretch.to - from) / idsPerCell);
    for (let cell = Math.floor((stretch.from - from) / idsPerCell); cell <= end; cell++) {
      ranks[cell] = Math.min(ranks[cell] ?? rank, rank);
    }
  }
  return ranks.map((rank) => WORST_FIRST[rank] ?? 'n');
}

function segmentsOf(cells: readonly IdLetter[], idOf: (cell: number) => number, lastId: number): Segment[] {
  const segments: Segment[] = [];
  cells.forEach((letter, column) => {
    const before = segments.at(-1);
    const to = Math.min(lastId, idOf(column + 1) - 1);
    if (before?.letter === letter) segments[segments.length - 1] = { ...before, cells: before.cells + 1, to };
    else segments.push({ letter, column, cells: 1, from: idOf(column), to });
  });
  return segments;
}

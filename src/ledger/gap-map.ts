// The id space of a walk, reduced to what a person wants to know of it. Pure.

import type { ProbeCounts, ProbeStretch, ProbeVerdict } from './probe.ts';

/** The widest hole between two hits, in ids; 0 when hits are side by side, undefined with fewer than two. */
export function largestGapOf(stretches: readonly ProbeStretch[]): number | undefined {
  let lastHit: number | undefined;
  let largest: number | undefined;
  for (const { from, to, verdict } of stretches) {
    if (verdict !== 'hit') continue;
    if (lastHit !== undefined) largest = Math.max(largest ?? 0, from - lastHit - 1);
    else if (to > from) largest = 0;
    lastHit = to;
  }
  return largest;
}

/** `301–320, 340`: the ids of one verdict, at most `most` stretches of them. */
export function idsOf(stretches: readonly ProbeStretch[], verdict: ProbeVerdict, most: number): string {
  const wanted = stretches.filter((stretch) => stretch.verdict === verdict);
  const shown = wanted.slice(0, most).map(({ from, to }) => (from === to ? String(from) : `${from}–${to}`));
  return wanted.length > most ? `${shown.join(', ')} and ${wanted.length - most} more stretches` : shown.join(', ');
}

/** Draws stretches as one line of `width` characters, each for an equal part of the ids. */
export function drawGapMap(stretches: readonly ProbeStretch[], width: number): string {
  const [first, last] = [stretches[0], stretches.at(-1)];
  if (first === undefined || last === undefined) return '';
  const span = last.to - first.from + 1;
  const columns = Math.min(width, span);
  const cells = Array.from({ length: columns }, () => new Map<ProbeStretch['verdict'], number>());
  for (const { from, to, verdict } of stretches) {
    const begin = Math.floor(((from - first.from) / span) * columns);
    const end = Math.floor(((to - first.from) / span) * columns);
    for (let column = begin; column <= end; column++) {
      const columnFrom = first.from + (column * span) / columns;
      const overlap = Math.min(to + 1, columnFrom + span / columns) - Math.max(from, columnFrom);
      const cell = cells[column];
      cell?.set(verdict, (cell.get(verdict) ?? 0) + overlap);
    }
  }
  return cells.map(glyphOf).join('');
}

/** What is refused or unknown shows however little of it there is; else the share of hits decides. */
function glyphOf(cell: ReadonlyMap<ProbeStretch['verdict'], number>): string {
  if (cell.has('blocked')) return '×';
  if (cell.has('unknown') || cell.has('failed')) return '?';
  const total = [...cell.values()].reduce((sum, part) => sum + part, 0);
  const share = (cell.get('hit') ?? 0) / total;
  if (share > 0) return share > 0.9 ? '█' : share > 0.5 ? '▓' : '▒';
  return cell.has('pending') ? ' ' : cell.has('duplicate') ? '=' : '·';
}

export const GAP_MAP_LEGEND = '█ hits  ▓▒ some  · none  × refused  ? unknown  = duplicates';

export function probesOf(counts: ProbeCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

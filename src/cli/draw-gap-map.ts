// Draws ids as a line of a given width. A column stands for an equal part of the ids; what was refused or had no usable answer
// shows however little of it there is, else the share of hits decides.

import { styleText } from 'node:util';
import type { ProbeStretch } from '../ledger/probe.ts';
import { type IdRange, widthOf } from '../ledger/survey.ts';

type Cell = Map<ProbeStretch['verdict'], number>;

interface Glyph {
  readonly glyph: string;
  readonly style: Parameters<typeof styleText>[0];
  readonly means: string;
}

const GLYPHS = {
  all: { glyph: '█', style: 'green', means: 'all there' },
  most: { glyph: '▓', style: 'green', means: 'most' },
  some: { glyph: '▒', style: 'green', means: 'some' },
  few: { glyph: '░', style: 'green', means: 'few' },
  absent: { glyph: '·', style: 'dim', means: 'absent' },
  blocked: { glyph: '×', style: 'red', means: 'refused' },
  unknown: { glyph: '?', style: 'yellow', means: 'no usable answer' },
  failed: { glyph: '!', style: 'red', means: 'failed' },
  duplicate: { glyph: '=', style: 'blue', means: 'duplicate' },
  skipped: { glyph: '-', style: 'yellow', means: 'skipped' },
  pending: { glyph: '…', style: 'cyan', means: 'pending' },
  none: { glyph: ' ', style: 'reset', means: '' },
} as const satisfies Record<string, Glyph>;

/** The line at which a walk stood: all hits are before it, and beyond it nothing was found. */
export const FRONTIER: Glyph = { glyph: '┃', style: 'cyan', means: 'frontier' };

export function paint({ glyph, style }: Glyph, count = 1): string {
  return styleText(style, glyph.repeat(count));
}

/** `columns` glyphs for the ids of a range, fewer when there are fewer ids; what lies outside is passed over. */
export function drawGapMap(stretches: Iterable<ProbeStretch>, ids: IdRange, columns: number): Glyph[] {
  const span = widthOf(ids);
  const cells = Array.from({ length: Math.min(columns, span) }, (): Cell => new Map());
  /** The first id of a column, counted from the beginning of the range. */
  const start = (column: number) => Math.ceil((column * span) / cells.length);
  for (const { from, to, verdict } of stretches) {
    const first = Math.max(from, ids.from) - ids.from;
    const end = Math.min(to, ids.to) - ids.from + 1;
    for (let at = Math.floor((first * cells.length) / span); start(at) < end; at++) {
      const cell = cells[at];
      const count = Math.min(end, start(at + 1)) - Math.max(first, start(at));
      cell?.set(verdict, (cell.get(verdict) ?? 0) + count);
    }
  }
  return cells.map((cell, at) => glyphOf(cell, start(at + 1) - start(at)));
}

/** Drawn in colour; neighbours of one kind share it. */
export function paintLine(glyphs: readonly Glyph[]): string {
  const runs: { kind: Glyph; count: number }[] = [];
  for (const kind of glyphs) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.count++;
    else runs.push({ kind, count: 1 });
  }
  return runs.map(({ kind, count }) => paint(kind, count)).join('');
}

/** What the glyphs in use mean. */
export function legendOf(glyphs: ReadonlySet<Glyph>): string {
  return [...Object.values(GLYPHS), FRONTIER]
    .filter((kind) => glyphs.has(kind) && kind.means !== '')
    .map((kind) => `${paint(kind)} ${kind.means}`)
    .join('  ');
}

function glyphOf(cell: Cell, ids: number): Glyph {
  for (const alarming of ['blocked', 'unknown', 'failed'] as const) if (cell.has(alarming)) return GLYPHS[alarming];
  const hits = cell.get('hit') ?? 0;
  if (hits === ids) return GLYPHS.all;
  if (hits > 0) return hits > (2 / 3) * ids ? GLYPHS.most : hits > ids / 3 ? GLYPHS.some : GLYPHS.few;
  for (const quiet of ['pending', 'duplicate', 'skipped', 'absent'] as const) if (cell.has(quiet)) return GLYPHS[quiet];
  return GLYPHS.none;
}

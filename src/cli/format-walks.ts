// The id space of each speculator for a person: what became of its ids, then one line per partition, however many ids
// there are. Right of the frontier the ids beyond the highest hit are drawn on a scale of their own.

import { styleText } from 'node:util';
import { frontierOf } from '../ledger/frontier.ts';
import { decodeGapMap, type GapMap } from '../ledger/gap-map.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { partitionName, type StoredWalk } from '../ledger/probe.ts';
import type { RunId } from '../ledger/run.ts';
import { type Survey, sayRange, survey, widthOf } from '../ledger/survey.ts';
import { drawGapMap, FRONTIER, legendOf, paint, paintLine } from './draw-gap-map.ts';
import { formatCount, printable } from './format.ts';

/** A walk as `show --json` gives it. */
export interface ShownWalk extends GapMap, Pick<StoredWalk, 'speculator' | 'partition'> {
  readonly definite: readonly [first: number, last: number];
  readonly plus: number;
  /** The highest hit, but at least the end of the definite range. */
  readonly highest: number;
  /** The last id that may be asked for. */
  readonly frontier: number;
}

export async function lookAtWalks(ledger: Ledger, run: RunId): Promise<ShownWalk[]> {
  const walks = await ledger.walksOf(run);
  return Promise.all(
    walks.map(async (walk) => ({
      speculator: walk.speculator,
      partition: walk.partition,
      definite: [walk.first, walk.last] as const,
      plus: walk.gap,
      highest: Math.max(walk.last, walk.highestHit ?? walk.last),
      frontier: frontierOf(walk),
      ...(await ledger.gapMapOf(walk)),
    })),
  );
}

/** Empty when there are none. */
export function formatWalks(walks: readonly ShownWalk[], columns: number): string {
  if (walks.length === 0) return '';
  const used = new Set([FRONTIER]);
  const groups = [...Map.groupBy(walks, ({ speculator }) => speculator)].map(([name, group]) => {
    const [counts, hole] = describe(group);
    const fits = `${name}  ${counts}; ${hole}`.length <= columns;
    const head = hole === '' ? counts : `${counts}${fits ? '; ' : '\n  '}${hole}`;
    return `\n${styleText('bold', printable(name))}  ${head}\n${drawLines(group, columns, used).join('')}`;
  });
  return `${groups.join('')}  ${legendOf(used)}\n`;
}

/** `111 hits, 36 absent, 3 refused`, and `widest hole 12 of 20 (50–61)` if there is one. */
function describe(walks: readonly ShownWalk[]): [counts: string, hole: string] {
  const surveyed = walks.map((walk) => ({ walk, found: survey(decodeGapMap(walk)) }));
  const count = (verdict: keyof Survey['counts']) =>
    surveyed.reduce((sum, { found }) => sum + found.counts[verdict], 0);
  const counts = [`${formatCount(count('hit'))} hits`];
  for (const [verdict, word] of WORDS) if (count(verdict) > 0) counts.push(`${formatCount(count(verdict))} ${word}`);
  const widest = surveyed.reduce((a, b) => (widthOf(b.found.widestHole) > widthOf(a.found.widestHole) ? b : a));
  const hole = widest.found.widestHole;
  if (hole === undefined) return [counts.join(', '), ''];
  const where = [partitionName(widest.walk.partition), sayRange(hole)].filter(Boolean).join(': ');
  return [counts.join(', '), `widest hole ${widthOf(hole)} of ${widest.walk.plus} (${printable(where)})`];
}

const WORDS = [
  ['absent', 'absent'],
  ['blocked', 'refused'],
  ['unknown', 'without a usable answer'],
  ['failed', 'failed'],
  ['duplicate', 'duplicate'],
  ['skipped', 'skipped'],
  ['pending', 'pending'],
] as const;

/** Of what lies between the margins, this share is for the ids beyond the frontier, if there are as many. */
const BEYOND = 0.1;
const FEWEST_COLUMNS = 20;

/** All on one scale, so that they can be compared. */
function drawLines(walks: readonly ShownWalk[], columns: number, used: Set<Parameters<typeof paint>[0]>): string[] {
  const labels = walks.map(({ partition }) => printable(partitionName(partition)));
  const firsts = walks.map((walk) => String(walk.from ?? walk.definite[0]));
  const [labelWidth, firstWidth] = [widest(labels), widest(firsts)];
  const ends = widest(walks.map(({ highest, frontier }) => `${highest}${frontier}`));
  const margins = 2 + labelWidth + (labelWidth > 0 ? 2 : 0) + firstWidth + ends + 5;
  const space = Math.max(FEWEST_COLUMNS, columns - margins);
  const beyond = Math.max(3, Math.floor(space * BEYOND));
  const largest = Math.max(...walks.map((walk) => widthOf(idsOf(walk))));
  return walks.map((walk, at) => {
    const ids = idsOf(walk);
    const share = Math.max(1, Math.round(((space - beyond) * widthOf(ids)) / largest));
    const body = drawGapMap(decodeGapMap(walk), ids, share);
    const tail = drawGapMap(decodeGapMap(walk), { from: walk.highest + 1, to: walk.frontier }, beyond);
    for (const glyph of [...body, ...tail]) used.add(glyph);
    const label = labelWidth === 0 ? '' : `${labels[at]?.padEnd(labelWidth)}  `;
    const end = tail.length === 0 ? '' : `${paintLine(tail)} ${walk.frontier}`;
    return `  ${label}${firsts[at]?.padStart(firstWidth)} ${paintLine(body)} ${walk.highest} ${paint(FRONTIER)}${end}\n`;
  });
}

/** From the first id to the highest that is known or was promised. */
function idsOf({ from, definite, highest }: ShownWalk) {
  return { from: from ?? definite[0], to: highest };
}

function widest(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length));
}

// What the id space of a walk amounts to, read in one pass however many ids there are. Pure.

import { PROBE_VERDICTS, type ProbeCounts, type ProbeStretch, type ProbeVerdict } from './probe.ts';

/** Consecutive ids, both ends included. */
export interface IdRange {
  readonly from: number;
  readonly to: number;
}

/** How many stretches of ids a sentence names. */
const MOST_NAMED = 3;

/** The first stretches of ids, and how many more there are. */
export interface SomeIds {
  readonly named: readonly IdRange[];
  readonly more: number;
}

export interface Survey {
  readonly counts: ProbeCounts;
  readonly highestHit: number | undefined;
  /** The first of the widest holes between two hits; undefined when all hits are side by side. */
  readonly widestHole: IdRange | undefined;
  /** The width of it in ids: 0 when hits are side by side, undefined with fewer than two. */
  readonly largestGap: number | undefined;
  readonly blocked: SomeIds;
  readonly unknown: SomeIds;
}

export function survey(stretches: Iterable<ProbeStretch>): Survey {
  const counts = Object.fromEntries([...PROBE_VERDICTS, 'pending'].map((verdict) => [verdict, 0])) as Record<
    ProbeVerdict | 'pending',
    number
  >;
  const blocked: IdRange[] = [];
  const unknown: IdRange[] = [];
  let [blockedMore, unknownMore] = [0, 0];
  let highestHit: number | undefined;
  let widestHole: IdRange | undefined;
  for (const { from, to, verdict } of stretches) {
    counts[verdict] += to - from + 1;
    if (verdict === 'hit') {
      const hole = highestHit === undefined ? undefined : { from: highestHit + 1, to: from - 1 };
      if (widthOf(hole) > widthOf(widestHole)) widestHole = hole;
      highestHit = to;
    }
    if (verdict === 'blocked' && blocked.push({ from, to }) > MOST_NAMED) blockedMore += blocked.splice(-1).length;
    if (verdict === 'unknown' && unknown.push({ from, to }) > MOST_NAMED) unknownMore += unknown.splice(-1).length;
  }
  return {
    counts,
    highestHit,
    widestHole,
    largestGap: counts.hit < 2 ? undefined : widthOf(widestHole),
    blocked: { named: blocked, more: blockedMore },
    unknown: { named: unknown, more: unknownMore },
  };
}

/** Of how many ids a range consists; 0 for none. */
export function widthOf(range: IdRange | undefined): number {
  return range === undefined ? 0 : range.to - range.from + 1;
}

/** `id 340 was`, `ids 301–320, 340 were`, `ids 301–320, 340, 350–360 and 2 more stretches were`. */
export function sayIdsWere({ named, more }: SomeIds): string {
  const [only, another] = named;
  if (another === undefined && widthOf(only) === 1) return `id ${only?.from} was`;
  const text = named.map(sayRange).join(', ');
  return more === 0 ? `ids ${text} were` : `ids ${text} and ${more} more ${more === 1 ? 'stretch' : 'stretches'} were`;
}

/** `301–320`, or `301` alone. */
export function sayRange({ from, to }: IdRange): string {
  return from === to ? String(from) : `${from}–${to}`;
}

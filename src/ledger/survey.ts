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
  /** The lowest id that was asked for. */
  readonly lowest: number | undefined;
  readonly lowestHit: number | undefined;
  readonly highestHit: number | undefined;
  /** The first of the widest holes below the highest hit: ids in a row that were asked for and are no hits. Else undefined. */
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
  let lowest: number | undefined;
  let lowestHit: number | undefined;
  let highestHit: number | undefined;
  let widestHole: IdRange | undefined;
  // The widest since the last hit; it is a hole when there is another hit.
  let sinceHit: IdRange | undefined;
  // Ids that were not asked for, or have not settled, are no part of a hole: nobody has seen it there.
  let open: IdRange | undefined;
  for (const { from, to, verdict } of stretches) {
    counts[verdict] += to - from + 1;
    lowest ??= from;
    if (verdict === 'hit') {
      if (widthOf(sinceHit) > widthOf(widestHole)) widestHole = sinceHit;
      sinceHit = open = undefined;
      lowestHit ??= from;
      highestHit = to;
    } else if (highestHit !== undefined) {
      const isNext = from === (open?.to ?? highestHit) + 1;
      open = verdict === 'pending' ? undefined : { from: isNext && open !== undefined ? open.from : from, to };
      if (widthOf(open) > widthOf(sinceHit)) sinceHit = open;
    }
    if (verdict === 'blocked' && blocked.push({ from, to }) > MOST_NAMED) blockedMore += blocked.splice(-1).length;
    if (verdict === 'unknown' && unknown.push({ from, to }) > MOST_NAMED) unknownMore += unknown.splice(-1).length;
  }
  return {
    counts,
    lowest,
    lowestHit,
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

// What is known of a sequence of ids over all runs of its scraper, whatever became of them, and not only by the last one.

import type { LedgerTables } from './ledger-tables.ts';
import type { Observed, ProbeStretch, StoredWalk } from './probe.ts';
import { type Survey, survey } from './survey.ts';

/** What all runs together know of one sequence. */
export interface KnownSequence {
  /** The newest of its walks. */
  readonly walk: StoredWalk;
  /** Undefined when nothing was ever found. */
  readonly observed: (Observed & { readonly lowestHit: number }) | undefined;
}

export function knownSequences(tables: LedgerTables, name: string, source: string | undefined): KnownSequence[] {
  return [...tables.walks.sequencesOf(name, source).values()].flatMap((walks): KnownSequence[] => {
    const walk = walks.at(-1);
    if (walk === undefined) return [];
    const found = survey(tables.walks.knownStretches(walks));
    const highest = highestHitOf(walks);
    if (highest === undefined) return [{ walk, observed: undefined }];
    return [{ walk, observed: { ...observedIn(found, highest), lowestHit: found.lowestHit ?? highest } }];
  });
}

/**
 * What may be declared of ids with the highest hit ever and these holes. A gap of g is used up by a hole of g ids: it takes
 * one more to cross it.
 */
export function observedIn({ largestGap = 0 }: Survey, highestHit: number): Observed {
  return { highestObserved: highestHit, largestObservedGap: largestGap + 1 };
}

/** The highest id that was ever a hit: also one that has gone since shows how far the numbers have come. */
export function highestHitOf(walks: readonly StoredWalk[]): number | undefined {
  const hits = walks.flatMap(({ highestHit }) => highestHit ?? []);
  return hits.length === 0 ? undefined : Math.max(...hits);
}

/** The id space of a walk. One that asks for holes shows what the walks before it know, too. */
export function stretchesOf(tables: LedgerTables, walk: StoredWalk): Generator<ProbeStretch> {
  if (walk.holesOf === undefined) return tables.walks.stretches(walk.id);
  return tables.walks.knownStretches([...tables.walks.before(walk, walk.holesOf), walk]);
}

/**
 * Ids below the first of `walk`, after the one given, that no walk up to `holesOf` knows to exist: absent, refused, failed,
 * never settled, or never asked for between others that were. At most `limit`.
 */
export function holesBelow(tables: LedgerTables, walk: StoredWalk, after: number | undefined, limit: number): number[] {
  if (walk.holesOf === undefined) return [];
  const holes: number[] = [];
  let next = after === undefined ? undefined : after + 1;
  /** Adds ids from `next` to `last`, and says whether there is room for more. */
  const add = (last: number, areHoles: boolean): boolean => {
    const to = Math.min(last, walk.first - 1);
    for (; areHoles && next !== undefined && next <= to && holes.length < limit; next++) holes.push(next);
    if (holes.length < limit) next = to + 1;
    return holes.length < limit && to < walk.first - 1;
  };
  for (const { from, to, verdict } of tables.walks.knownStretches(tables.walks.before(walk, walk.holesOf), next)) {
    next ??= from;
    if (!add(from - 1, true) || !add(to, !isSpared(verdict))) return holes;
  }
  if (next !== undefined) add(walk.first - 1, true);
  return holes;
}

/** Exists, leads to a page that was asked for, or may not be asked for. */
function isSpared(verdict: ProbeStretch['verdict']): boolean {
  return verdict === 'hit' || verdict === 'duplicate' || verdict === 'skipped';
}

// Where a walk over ids ends. Let [a, b] be the definite range, H the highest hit but at least b, and g the gap: ids up to
// H + g may be asked for, as far as the budget goes, and when all of them have settled the walk is at its end.

/** What a walk was asked for. */
export interface WalkRange {
  /** First and last id of the definite range; `first > last` when it is empty. */
  readonly first: number;
  readonly last: number;
  /** How many ids beyond the highest hit are tried. */
  readonly gap: number;
  /** The most ids to ask for. */
  readonly maxProbes: number | undefined;
}

export interface Walk extends WalkRange {
  /** The highest id that was a hit; undefined before the first. */
  readonly highestHit: number | undefined;
  /** The next id to ask for: all from `first` up to it have been. */
  readonly next: number;
}

/** The last id that may be asked for now, by the rule alone. */
export function frontierOf({ last, gap, highestHit }: Walk): number {
  return Math.min(Math.max(last, highestHit ?? last) + gap, Number.MAX_SAFE_INTEGER);
}

/** The last id that may be asked for now, by the rule and the budget. */
export function reachOf(walk: Walk): number {
  return Math.min(frontierOf(walk), budgetEnd(walk));
}

/** Whether everything that may be asked for has been. With all answers settled, the walk is then at its end. */
export function isExhausted(walk: Walk): boolean {
  return walk.next > reachOf(walk);
}

/** Whether the walk ended, or will end, because of its budget and not because nothing more was found. */
export function isCutShort(walk: Walk): boolean {
  return frontierOf(walk) > budgetEnd(walk);
}

function budgetEnd({ first, maxProbes }: Walk): number {
  return maxProbes === undefined ? Number.MAX_SAFE_INTEGER : first + maxProbes - 1;
}

// The rule of speculation, as pure functions. It counts ids, never the order in which answers arrive: so which ids are
// found is a function of the site alone. Let [a, b] be the definite range, H the highest hit but at least b, and g the gap:
// ids up to H + g may be asked for, and the walk is at its end when all of them have settled.

/** What was asked for. */
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

export function beginWalk(range: WalkRange): Walk {
  return { ...range, highestHit: undefined, next: range.first };
}

/** The last id that may be asked for now, by the rule alone. */
export function frontierOf({ last, gap, highestHit }: Walk): number {
  return Math.max(last, highestHit ?? last) + gap;
}

/** Ids that may be asked for and have not been, at most `limit` of them: from `from` to `to`, or undefined for none. */
export function planProbes(walk: Walk, limit: number): { readonly from: number; readonly to: number } | undefined {
  const to = Math.min(reach(walk), walk.next + limit - 1);
  return to < walk.next ? undefined : { from: walk.next, to };
}

/** After the planned ids up to `to` were asked for. */
export function onAsked(walk: Walk, to: number): Walk {
  return { ...walk, next: to + 1 };
}

/** After a hit. A late one, below the highest, changes nothing; a higher one moves the frontier, also of a finished walk. */
export function onHit(walk: Walk, id: number): Walk {
  return id > (walk.highestHit ?? Number.NEGATIVE_INFINITY) ? { ...walk, highestHit: id } : walk;
}

/** Whether everything that may be asked for has been. With all answers settled, the walk is then at its end. */
export function isExhausted(walk: Walk): boolean {
  return walk.next > reach(walk);
}

/** Whether the walk ended, or will end, because of its budget and not because nothing more was found. */
export function isCutShort(walk: Walk): boolean {
  return frontierOf(walk) > budgetEnd(walk);
}

function reach(walk: Walk): number {
  return Math.min(frontierOf(walk), budgetEnd(walk));
}

function budgetEnd({ first, maxProbes }: Walk): number {
  return maxProbes === undefined ? Number.MAX_SAFE_INTEGER : first + maxProbes - 1;
}

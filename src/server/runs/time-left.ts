// How long a run will still take, if that can be told honestly: not while more is being found than is known of, and not while
// nothing is settled. Pure.

import type { TimeLeft } from '../contract/runs.ts';

/** How far a run is at one moment. */
export interface WorkDone {
  /** In ms, of a clock that only goes forward. */
  readonly at: number;
  readonly settled: number;
  /** What is known to be left: what is queued, and ids that are certain to be asked for. */
  readonly left: number;
  /** Whether an entry is still being read, which may queue any number of requests. */
  readonly isReading: boolean;
  /** Whether more may follow than what is left: ids beyond the certain ones. */
  readonly isOpenEnded: boolean;
}

/** Shorter looks say too little about the pace. */
const SHORTEST_LOOK_MS = 3_000;
/** So long the queue must not have grown before it is taken to have stopped growing. */
const SETTLED_DOWN_MS = 10_000;

/** From looks of the last minute or so, in order. */
export function judgeTimeLeft(all: readonly WorkDone[]): TimeLeft {
  // What was queued by an entry is no sign that more will be.
  const looks = all.slice(all.findLastIndex(({ isReading }) => isReading) + 1);
  if (looks.length === 0 && all.length > 0) return { kind: 'growing', ms: null };
  const grownAt = looks.findLastIndex((look, at) => at > 0 && knownIn(look) > knownIn(looks[at - 1] ?? look));
  const [first, last] = [looks[Math.max(0, grownAt)], looks.at(-1)];
  if (first === undefined || last === undefined) return { kind: 'measuring', ms: null };
  const lookedMs = last.at - first.at;
  if (grownAt > 0 && lookedMs < SETTLED_DOWN_MS) return { kind: 'growing', ms: null };
  if (lookedMs < SHORTEST_LOOK_MS) return { kind: 'measuring', ms: null };
  const settled = last.settled - first.settled;
  if (settled <= 0 && last.left > 0) return { kind: 'stalled', ms: null };
  const ms = last.left === 0 ? 0 : Math.round((last.left * lookedMs) / settled);
  return { kind: last.isOpenEnded ? 'at_least' : 'about', ms };
}

function knownIn({ settled, left }: WorkDone): number {
  return settled + left;
}

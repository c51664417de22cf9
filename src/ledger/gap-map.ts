// The id space of a walk as one short text of run lengths, such as `119h12a68h5a296h20a`: exact, and small however many
// ids there are.

import type { ProbeStretch } from './probe.ts';

export interface GapMap {
  /** The first id; null when none was asked for. */
  readonly from: number | null;
  /** From there on: so many ids, and a letter for what became of them (`GAP_MAP_LETTERS`). */
  readonly runs: string;
}

const GAP_MAP_LETTERS = {
  hit: 'h',
  absent: 'a',
  skipped: 's',
  blocked: 'b',
  failed: 'f',
  unknown: 'u',
  duplicate: 'd',
  pending: 'p',
} as const satisfies Record<ProbeStretch['verdict'], string>;

/** The letter for ids that were not asked for, between others that were. */
const NOT_ASKED = 'n';

export function encodeGapMap(stretches: Iterable<ProbeStretch>): GapMap {
  let from: number | null = null;
  let next = 0;
  let runs = '';
  for (const stretch of stretches) {
    from ??= next = stretch.from;
    if (stretch.from > next) runs += `${stretch.from - next}${NOT_ASKED}`;
    runs += `${stretch.to - stretch.from + 1}${GAP_MAP_LETTERS[stretch.verdict]}`;
    next = stretch.to + 1;
  }
  return { from, runs };
}

const VERDICTS: ReadonlyMap<string, ProbeStretch['verdict']> = new Map(
  Object.entries(GAP_MAP_LETTERS).map(([verdict, letter]) => [letter, verdict as ProbeStretch['verdict']]),
);

/** The stretches that a map was made of. */
export function* decodeGapMap({ from, runs }: GapMap): Generator<ProbeStretch> {
  let next = from ?? 0;
  for (const [, length, letter = ''] of runs.matchAll(/(\d+)([a-z])/g)) {
    const verdict = VERDICTS.get(letter);
    const to = next + Number(length) - 1;
    if (verdict !== undefined) yield { from: next, to, verdict };
    next = to + 1;
  }
}

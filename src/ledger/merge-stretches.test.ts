import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeStretches } from './merge-stretches.ts';
import { PROBE_VERDICTS, type ProbeStretch } from './probe.ts';

type Verdict = ProbeStretch['verdict'];

/** Ids from `first` on; undefined: not asked for. */
interface Asked {
  readonly first: number;
  readonly verdicts: readonly (Verdict | undefined)[];
}

const walks = fc.array(
  fc.record({
    first: fc.integer({ min: -5, max: 20 }),
    verdicts: fc.array(fc.option(fc.constantFrom<Verdict>(...PROBE_VERDICTS, 'pending'), { nil: undefined }), {
      maxLength: 20,
    }),
  }),
  { maxLength: 5 },
);

function* stretchesOf({ first, verdicts }: Asked): Generator<ProbeStretch> {
  for (const [at, verdict] of verdicts.entries()) {
    if (verdict !== undefined) yield { from: first + at, to: first + at, verdict };
  }
}

/** Id by id, with a notebook. */
function noted(asked: readonly Asked[]): Map<number, Verdict> {
  const known = new Map<number, Verdict>();
  for (const { first, verdicts } of asked) {
    for (const [at, verdict] of verdicts.entries()) {
      const before = known.get(first + at);
      const isKnowledge = verdict === 'hit' || verdict === 'absent';
      const wasKnowledge = before === 'hit' || before === 'absent';
      if (verdict === undefined || (wasKnowledge && !isKnowledge)) continue;
      if (verdict === 'pending' && before !== undefined) continue;
      known.set(first + at, verdict);
    }
  }
  return known;
}

describe('walks that are merged', () => {
  it('know of each id the newest that is known, and no id twice', () => {
    fc.assert(
      fc.property(walks, (asked) => {
        const merged = [...mergeStretches(asked.map((one) => [...stretchesOf(one)]))];
        const ids = merged.flatMap(({ from, to, verdict }) =>
          Array.from({ length: to - from + 1 }, (_, at) => [from + at, verdict] as const),
        );
        expect(ids).toEqual([...noted(asked)].sort(([one], [other]) => one - other));
        for (const [at, stretch] of merged.entries()) {
          const next = merged[at + 1];
          if (next?.from === stretch.to + 1) expect(next.verdict).not.toBe(stretch.verdict);
        }
      }),
    );
  });

  it('are closed when nobody reads on', () => {
    let closed = 0;
    function* endless(): Generator<ProbeStretch> {
      try {
        for (let id = 1; ; id += 2) yield { from: id, to: id, verdict: 'hit' };
      } finally {
        closed++;
      }
    }
    for (const { from } of mergeStretches([endless(), endless()])) if (from > 3) break;
    expect(closed).toBe(2);
  });
});

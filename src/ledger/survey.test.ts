import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProbeStretch, ProbeVerdict } from './probe.ts';
import { sayIdsWere, survey } from './survey.ts';

const stretch = (from: number, to: number, verdict: ProbeVerdict): ProbeStretch => ({ from, to, verdict });

describe('a survey', () => {
  it('knows the highest hit and the widest hole between hits', () => {
    const verdicts = fc.array(fc.constantFrom<ProbeVerdict>('hit', 'hit', 'absent', 'blocked', 'duplicate'));
    fc.assert(
      fc.property(verdicts, fc.integer({ min: -50, max: 50 }), (list, first) => {
        const found = survey(list.map((verdict, at) => stretch(first + at, first + at, verdict)));
        const hits = list.flatMap((verdict, at) => (verdict === 'hit' ? [first + at] : []));
        const gaps = hits.slice(1).map((id, at) => id - (hits[at] ?? 0) - 1);
        expect(found.highestHit).toBe(hits.at(-1));
        expect(found.largestGap).toBe(gaps.length === 0 ? undefined : Math.max(...gaps));
        expect(found.counts.hit).toBe(hits.length);
        expect(found.counts.blocked).toBe(list.filter((verdict) => verdict === 'blocked').length);
      }),
    );
  });

  it('takes for a hole only ids that were asked for and have settled', () => {
    const holeOf = (...stretches: [number, number, ProbeStretch['verdict']][]) =>
      survey(stretches.map(([from, to, verdict]) => ({ from, to, verdict }))).widestHole;
    expect(holeOf([1, 10, 'hit'], [11, 15, 'absent'], [1000, 1000, 'hit'])).toEqual({ from: 11, to: 15 });
    expect(holeOf([1, 10, 'hit'], [11, 15, 'absent'], [16, 20, 'pending'], [21, 21, 'hit'])).toEqual({
      from: 11,
      to: 15,
    });
    expect(holeOf([1, 10, 'hit'], [11, 20, 'pending'], [21, 21, 'hit'])).toBeUndefined();
    expect(holeOf([1, 1, 'hit'], [2, 3, 'absent'], [4, 5, 'blocked'], [6, 6, 'hit'])).toEqual({ from: 2, to: 5 });
    expect(holeOf([1, 1, 'hit'], [90, 99, 'absent'], [100, 100, 'hit'])).toEqual({ from: 90, to: 99 });
    expect(holeOf([1, 3, 'absent'], [4, 4, 'hit'], [5, 30, 'absent'])).toBeUndefined();
  });

  it('names the first stretches that were refused or never answered, and counts the rest', () => {
    const found = survey([
      stretch(1, 2, 'blocked'),
      stretch(5, 5, 'blocked'),
      stretch(6, 6, 'unknown'),
      stretch(7, 9, 'blocked'),
      stretch(20, 29, 'blocked'),
      stretch(40, 41, 'blocked'),
    ]);
    expect(sayIdsWere(found.blocked)).toBe('ids 1–2, 5, 7–9 and 2 more stretches were');
    expect(sayIdsWere(found.unknown)).toBe('id 6 was');
    expect(found.counts).toMatchObject({ blocked: 18, unknown: 1 });
  });
});

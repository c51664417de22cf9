import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeGapMap, encodeGapMap } from './gap-map.ts';
import { PROBE_VERDICTS, type ProbeStretch } from './probe.ts';

/** Stretches in order, with ids between them that were not asked for. */
const stretches = fc
  .tuple(
    fc.integer({ min: -1000, max: 1000 }),
    fc.array(
      fc.record({
        skip: fc.nat({ max: 3 }),
        length: fc.integer({ min: 1, max: 50 }),
        verdict: fc.constantFrom(...PROBE_VERDICTS, 'pending' as const),
      }),
    ),
  )
  .map(([first, parts]) => {
    let next = first;
    return parts.map(({ skip, length, verdict }): ProbeStretch => {
      const from = next + skip;
      next = from + length;
      return { from, to: next - 1, verdict };
    });
  });

describe('a gap map', () => {
  it('is the stretches it was made of', () => {
    fc.assert(
      fc.property(stretches, (list) => {
        expect([...decodeGapMap(encodeGapMap(list))]).toEqual(list);
      }),
    );
  });

  it('is short', () => {
    const list: ProbeStretch[] = [
      { from: 1, to: 119, verdict: 'hit' },
      { from: 120, to: 131, verdict: 'absent' },
      { from: 140, to: 500_000, verdict: 'hit' },
    ];
    expect(encodeGapMap(list)).toEqual({ from: 1, runs: '119h12a8n499861h' });
  });

  it('of no ids is empty', () => {
    expect(encodeGapMap([])).toEqual({ from: null, runs: '' });
    expect([...decodeGapMap({ from: null, runs: '' })]).toEqual([]);
  });
});

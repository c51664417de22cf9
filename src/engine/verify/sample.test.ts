import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../platform/random.ts';
import { Sample } from './sample.ts';

describe('a sample', () => {
  it('draws exactly as many as it should, or all there are', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.nat(50), fc.nat(), (wanted, total, seed) => {
        const sample = new Sample(wanted, total, seededRandom(seed));
        const taken = Array.from({ length: total }, () => sample.takes()).filter(Boolean);
        expect(taken).toHaveLength(Math.min(wanted, total));
        expect(sample.takes()).toBe(false);
      }),
    );
  });

  it('gives each the same chance', () => {
    const random = seededRandom(1);
    const times = new Array<number>(10).fill(0);
    for (let round = 0; round < 10_000; round++) {
      const sample = new Sample(3, 10, random);
      for (let n = 0; n < 10; n++) if (sample.takes()) times[n] = (times[n] ?? 0) + 1;
    }
    for (const count of times) expect(Math.abs(count - 3_000)).toBeLessThan(250);
  });
});

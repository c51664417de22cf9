import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthFor } from './reports/timeline-report.ts';
import { stretchMs } from './timeline-table.ts';

describe('a timeline', () => {
  it('of a run that works for a month has some thousand rows', () => {
    let rows = 0;
    for (let ms = 0; ms < 30 * 86_400_000; ms += stretchMs(ms)) rows++;
    expect(rows).toBeLessThan(7_000);
    expect(stretchMs(0)).toBe(1_000);
  });

  it('is shown in no more stretches than asked for, and no longer ones than need be', () => {
    const span = fc.record({ first: fc.integer({ min: 0, max: 2e12 }), ms: fc.integer({ min: 0, max: 1e11 }) });
    fc.assert(
      fc.property(span, fc.integer({ min: 2, max: 300 }), ({ first, ms }, most) => {
        const length = lengthFor(first, first + ms, most);
        expect(Math.floor((first + ms) / length) - Math.floor(first / length) + 1).toBeLessThanOrEqual(most);
        // Of the lengths that people read, the next is at most three times as long.
        if (length > 1_000) expect(ms / length).toBeGreaterThan(most / 3 - 2);
      }),
    );
  });
});

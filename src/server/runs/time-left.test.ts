import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeTimeLeft, type WorkDone } from './time-left.ts';

const look = (at: number, settled: number, left: number, more: Partial<WorkDone> = {}): WorkDone => ({
  at,
  settled,
  left,
  isReading: false,
  isOpenEnded: false,
  ...more,
});

describe('the time that a run still takes', () => {
  it('follows from the pace and what is left', () => {
    expect(judgeTimeLeft([look(0, 0, 100), look(10_000, 20, 80)])).toEqual({ kind: 'about', ms: 40_000 });
  });

  it('is not told while more is found than was known', () => {
    expect(judgeTimeLeft([look(0, 0, 100), look(10_000, 20, 81)])).toEqual({ kind: 'growing', ms: null });
    const reading = look(10_000, 20, 80, { isReading: true });
    expect(judgeTimeLeft([look(0, 0, 100), reading])).toEqual({ kind: 'growing', ms: null });
  });

  it('is told soon after the worklist is known', () => {
    const before = look(0, 0, 0, { isReading: true });
    expect(judgeTimeLeft([before, look(1_000, 0, 100), look(6_000, 10, 90)])).toEqual({ kind: 'about', ms: 45_000 });
  });

  it('is told again some seconds after the queue has stopped growing', () => {
    const grown = [look(0, 0, 100), look(1_000, 2, 120)];
    expect(judgeTimeLeft([...grown, look(9_000, 20, 102)])).toEqual({ kind: 'growing', ms: null });
    expect(judgeTimeLeft([...grown, look(11_000, 22, 100)])).toEqual({ kind: 'about', ms: 50_000 });
  });

  it('is not told while nothing is settled, or before there was time to look', () => {
    expect(judgeTimeLeft([look(0, 5, 100), look(30_000, 5, 100)])).toEqual({ kind: 'stalled', ms: null });
    expect(judgeTimeLeft([look(0, 0, 100), look(1_000, 20, 80)])).toEqual({ kind: 'measuring', ms: null });
    expect(judgeTimeLeft([])).toEqual({ kind: 'measuring', ms: null });
  });

  it('is at least so long when ids follow that are not certain', () => {
    const open = look(10_000, 20, 80, { isOpenEnded: true });
    expect(judgeTimeLeft([look(0, 0, 100), open])).toEqual({ kind: 'at_least', ms: 40_000 });
  });

  it('is never a number when the queue has grown', () => {
    const counts = fc.record({ settled: fc.nat(1_000), left: fc.nat(1_000), grown: fc.integer({ min: 1, max: 500 }) });
    fc.assert(
      fc.property(counts, fc.nat(500), fc.integer({ min: 1, max: 60_000 }), ({ settled, left, grown }, done, ms) => {
        const first = look(0, settled, left);
        const last = look(ms, settled + done, Math.max(0, left - done) + grown);
        fc.pre(last.settled + last.left > first.settled + first.left);
        expect(judgeTimeLeft([first, last]).ms).toBeNull();
      }),
    );
  });
});

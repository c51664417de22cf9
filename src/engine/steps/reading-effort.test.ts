import { describe, expect, it } from 'vitest';
import { type Effort, ReadingEffort } from './reading-effort.ts';

/** Whether so much effort, every so many milliseconds, is great. */
function isGreat(effort: Effort, everyMs: number): boolean {
  const all = new ReadingEffort();
  for (let now = 0; now < 10_000; now += everyMs) all.add(now, effort);
  return all.isGreat;
}

describe('reading is a great effort', () => {
  it('when pages take long, and there are many of them', () => {
    expect(isGreat({ pages: 4, readMs: 20, watchMs: 0.1 }, 40)).toBe(true);
  });

  it('when watching holds up the run', () => {
    expect(isGreat({ pages: 16, readMs: 2, watchMs: 20 }, 50)).toBe(true);
  });
});

describe('it is not', () => {
  it('for small pages, however many', () => {
    expect(isGreat({ pages: 20, readMs: 4, watchMs: 0.1 }, 5)).toBe(false);
  });

  it('for large pages that come one by one', () => {
    expect(isGreat({ pages: 1, readMs: 25, watchMs: 0.1 }, 1000)).toBe(false);
  });
});

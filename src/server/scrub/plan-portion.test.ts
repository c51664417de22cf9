import { describe, expect, it } from 'vitest';
import { planPortion } from './plan-portion.ts';

const DAY = 86_400_000;
const round = { total: 3_000, done: 0, beganAt: 0, now: 0, periodMs: 30 * DAY };

describe('a portion of the scrubber', () => {
  it('is nothing at the beginning, and the next is due when its share of the time is over', () => {
    expect(planPortion({ ...round, total: 300_000 })).toEqual({ count: 0, isLast: false, waitMs: 8_640 });
  });

  it('is a thirtieth of everything after a day, in small parts', () => {
    let done = 0;
    let portions = 0;
    for (let portion = planPortion({ ...round, now: DAY }); portion.count > 0; portions++) {
      done += portion.count;
      portion = planPortion({ ...round, done, now: DAY });
    }
    expect({ done, portions }).toEqual({ done: 100, portions: 2 });
  });

  it('catches up after a pause without waiting long between its parts', () => {
    expect(planPortion({ ...round, now: 15 * DAY })).toEqual({ count: 50, isLast: false, waitMs: 1_000 });
  });

  it('is the last when everything was looked at and the time is over, and not before', () => {
    expect(planPortion({ ...round, done: 2_990, now: 30 * DAY })).toMatchObject({ count: 10, isLast: true });
    expect(planPortion({ ...round, done: 3_000, now: 29 * DAY })).toMatchObject({ count: 0, isLast: false });
  });

  it('of nothing is nothing', () => {
    expect(planPortion({ ...round, total: 0 })).toEqual({ count: 0, isLast: false, waitMs: 60_000 });
    expect(planPortion({ ...round, total: 0, now: 30 * DAY })).toMatchObject({ isLast: true });
  });

  it('is not held up by a clock that was set back', () => {
    expect(planPortion({ ...round, beganAt: 5 * DAY, now: 0 })).toMatchObject({ count: 0, waitMs: 60_000 });
  });
});

import { describe, expect, it } from 'vitest';
import type { StartPage, StartPageId } from '../ledger/sites/partial-run-table.ts';
import { FakeClock } from '../platform/fake-clock.ts';
import { WalkMeter } from './walk-progress.ts';

const list = (id: number, changes: Partial<StartPage> = {}): StartPage => ({
  id: id as StartPageId,
  ordinal: id,
  url: `http://court.example/list/${id}`,
  completed: false,
  failureCount: 0,
  pages: 0,
  listed: 0,
  statedTotal: undefined,
  nextUrl: `http://court.example/list/${id}`,
  reason: undefined,
  urls: 0,
  ended: undefined,
  rechecked: 0,
  differed: 0,
  ...changes,
});

describe('the progress of a walk', () => {
  it('counts lists, pages and items, and says how long it takes when every total is known', async () => {
    const clock = new FakeClock();
    const meter = new WalkMeter([list(1), list(2)], clock);
    await clock.advance(10_000);
    meter.note(list(1, { pages: 10, urls: 200, statedTotal: 300 }));
    expect(meter.look()).toMatchObject({ lists: 2, listsDone: 0, pages: 10, items: 200, pagesPerSecond: 1 });
    expect(meter.look()).toMatchObject({ itemsTotal: undefined, leftMs: undefined });
    meter.note(list(2, { statedTotal: 100 }));
    expect(meter.look()).toMatchObject({ itemsTotal: 400, leftMs: 10_000 });
  });

  it('counts speed from this start, and a list that ended by what was found', async () => {
    const clock = new FakeClock();
    const meter = new WalkMeter([list(1, { pages: 7, urls: 140, statedTotal: 200 })], clock);
    await clock.advance(10_000);
    expect(meter.look()).toMatchObject({ pages: 7, pagesPerSecond: 0, leftMs: undefined });
    meter.note(list(1, { pages: 9, urls: 180, completed: true, reason: 'no next page' }));
    expect(meter.look()).toMatchObject({ listsDone: 1, pagesPerSecond: 0.2, itemsTotal: 180, leftMs: 0 });
  });
});

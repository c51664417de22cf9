import { expect, it } from 'vitest';
import { walkLine } from './show-walk.ts';

it('the line of a walk has lists, pages, items, speed and how long it will take', () => {
  const walk = { lists: 12, listsDone: 3, pages: 45, items: 900, itemsTotal: 2_400, pagesPerSecond: 1, leftMs: 75_000 };
  expect(walkLine(walk)).toBe('3 of 12 lists, 45 pages, 900 of 2,400 items, 1.0 pages/s, 1 min 15 s left');
  const untold = { ...walk, itemsTotal: undefined, leftMs: undefined };
  expect(walkLine(untold)).toBe('3 of 12 lists, 45 pages, 900 items, 1.0 pages/s');
});

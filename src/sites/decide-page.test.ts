import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StartPageProgress } from '../ledger/sites/partial-run-table.ts';
import { decidePage, type WalkRules } from './decide-page.ts';
import type { ListPage } from './read-list-page.ts';

const BEGUN = { pages: 0, listed: 0, statedTotal: undefined };

/** A list as a site shows it: its pages in order, each leading to the next. */
function walk(pages: readonly Partial<ListPage>[], rules: WalkRules = {}): StartPageProgress {
  const collected = new Set<string>();
  const seen = new Set<string>();
  const urls = new Set<string>();
  let at: StartPageProgress = { ...BEGUN, completed: false, nextUrl: '/1', reason: undefined };
  for (const [index, given] of pages.entries()) {
    if (at.nextUrl === undefined) break;
    urls.add(at.nextUrl);
    const more = index + 1 < pages.length;
    const page = { items: [], total: undefined, nextUrl: more ? `/${index + 2}` : undefined, ...given };
    const print = page.items.join();
    const fresh = page.items.filter((item) => !collected.has(item));
    const nextIsKnown = page.nextUrl !== undefined && urls.has(page.nextUrl);
    at = decidePage(at, page, { isRepetition: seen.has(print), fresh, nextIsKnown }, rules);
    for (const item of fresh) collected.add(item);
    seen.add(print);
  }
  return at;
}

describe('a walk is at its end', () => {
  it('with a page that leads nowhere', () => {
    expect(walk([{ items: ['a'] }, { items: ['b'] }])).toMatchObject({ completed: true, pages: 2, listed: 2 });
  });

  it('with a page that leads to one that was read', () => {
    expect(walk([{ items: ['a'] }, { items: ['b'], nextUrl: '/1' }, { items: ['c'] }])).toMatchObject({
      completed: true,
      pages: 2,
      reason: 'ended with a page that was seen before',
    });
  });

  it('with a page that shows what an earlier one has shown, under whatever address', () => {
    const end = walk([{ items: ['a', 'b'] }, { items: ['c'] }, { items: ['c'] }, { items: ['d'] }]);
    expect(end).toMatchObject({ completed: true, pages: 3, listed: 3 });
  });

  it('after as many pages as are wanted', () => {
    const pages = [{ items: ['a'] }, { items: ['b'] }, { items: ['c'] }];
    expect(walk(pages, { maxPages: 2 })).toMatchObject({ completed: true, pages: 2 });
  });

  it('also when it has found nothing at all', () => {
    expect(walk([{ items: [] }])).toMatchObject({ completed: true, listed: 0 });
  });

  it('with an empty page, when lists of the site end like that or the total was reached', () => {
    expect(walk([{ items: ['a'] }, {}], { lastPageMayBeEmpty: true })).toMatchObject({ completed: true });
    expect(walk([{ items: ['a'], total: 1 }, { total: 1 }])).toMatchObject({ completed: true });
  });
});

describe('a walk is not complete', () => {
  it.each([
    [
      'only 2 of the 3 items that the site states',
      [
        { items: ['a'], total: 3 },
        { items: ['b'], total: 3 },
      ],
      {},
    ],
    ['only 1 of the 2 items that the site states', [{ items: ['a'], total: 2 }, { total: 2 }], {}],
    ['only 0 of the 2 items that the site states', [{ total: 2 }], {}],
    ['only 1 of the 2 items that the site states', [{ items: ['a'], total: 2, nextUrl: '/1' }], {}],
    ['only 1 of the 2 items that the site states', [{ items: ['a'], total: 2 }, {}], { maxPages: 1 }],
    ['1 of the items on page 2 had been on an earlier one', [{ items: ['a', 'b'] }, { items: ['b', 'c'] }], {}],
    [
      'page 2 states a total of 4, the page before 3',
      [
        { items: ['a'], total: 3 },
        { items: ['b'], total: 4 },
      ],
      {},
    ],
    ['page 2 has no items, although the page before leads to it', [{ items: ['a'] }, {}, { items: ['b'] }], {}],
  ])('%s', (reason, pages, rules) => {
    const end = walk(pages, rules);
    expect(end).toMatchObject({ completed: false, nextUrl: undefined });
    expect(end.reason).toContain(reason);
  });

  it('unless items may repeat', () => {
    const pages = [
      { items: ['top', 'a'], total: 4 },
      { items: ['top', 'b'], total: 4 },
    ];
    expect(walk(pages)).toMatchObject({ completed: false });
    expect(walk(pages, { itemsMayRepeat: true })).toMatchObject({ completed: true, listed: 4 });
  });

  it('when it has no end, and nobody has set one', () => {
    const before = { pages: 9_999, listed: 9_999, statedTotal: undefined };
    const page = { items: ['x'], nextUrl: '/10001', total: undefined };
    const known = { isRepetition: false, fresh: ['x'], nextIsKnown: false };
    expect(decidePage(before, page, known, {})).toMatchObject({ completed: false, nextUrl: undefined });
    expect(decidePage(before, page, known, { maxPages: 20_000 })).toMatchObject({ nextUrl: '/10001' });
  });
});

it('a list that stands still is complete if and only if all of what it states is there', () => {
  const list = fc.record({ items: fc.uniqueArray(fc.string({ minLength: 1 })), size: fc.integer({ min: 1, max: 5 }) });
  fc.assert(
    fc.property(list, fc.integer({ min: 0, max: 3 }), ({ items, size }, missing) => {
      const total = items.length + missing;
      const count = Math.max(1, Math.ceil(items.length / size));
      const pages = Array.from({ length: count }, (_, n) => ({ items: items.slice(n * size, (n + 1) * size), total }));
      const end = walk(pages);
      expect(end).toMatchObject({ completed: missing === 0, pages: count, listed: items.length });
    }),
  );
});

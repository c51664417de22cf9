import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Recognised } from '../ledger/sites/walk-writer.ts';
import {
  countWith,
  decidePage,
  type ListCounts,
  type PageDecision,
  pagesToRecheck,
  type WalkRules,
} from './decide-page.ts';
import type { NextOnLastPage } from './define-site.ts';
import type { ListPage, NextLink } from './read-list-page.ts';

const BEGUN: ListCounts = { pages: 0, listed: 0, urls: 0, statedTotal: undefined };
const FIRST = 'https://court.example/list';
const NOTHING_KNOWN = { samePage: undefined, landedOn: undefined, nextPage: undefined, unreadPage: undefined };

const urlOf = (page: number) => (page === 1 ? FIRST : `${FIRST}?page=${page}`);
const leadsTo = (url: string): NextLink => ({ kind: 'page', url, text: 'Next' });
const none: NextLink = { kind: 'none' };

function listPage(url: string, parts: Partial<ListPage>): ListPage {
  return { url, items: [], next: none, total: undefined, otherLinks: [], isMarkedEmpty: false, ...parts };
}

/** What a site answers to an address. */
type Site = (url: string) => ListPage;

interface Walked {
  readonly end: PageDecision;
  readonly collected: ReadonlySet<string>;
  readonly counts: ListCounts;
}

/** A walk in memory: asks the site for page after page until the decision is none to go on. */
function walk(site: Site, rules: WalkRules = {}): Walked {
  const collected = new Set<string>();
  const byUrl = new Map<string, number>();
  const byItems = new Map<string, number>();
  let counts = BEGUN;
  for (let url = FIRST; ; ) {
    const page = site(url);
    const known: Recognised = {
      fresh: page.items.filter((item) => !collected.has(item)),
      samePage: byItems.get(page.items.join()),
      landedOn: page.url === url ? undefined : byUrl.get(page.url),
      nextPage: page.next.kind === 'page' ? byUrl.get(page.next.url) : undefined,
      unreadPage: undefined,
    };
    const decision = decidePage(counts, url, page, known, rules);
    const isPart = decision.kind !== 'not_believed' && (decision.kind !== 'ended' || decision.counts);
    if (isPart) {
      counts = countWith(counts, page, known);
      for (const item of page.items) collected.add(item);
      for (const address of [url, page.url]) byUrl.set(address, counts.pages);
      byItems.set(page.items.join(), counts.pages);
    }
    if (decision.kind !== 'goes_on') return { end: decision, collected, counts };
    url = decision.nextUrl;
  }
}

/** A list in pages, each leading to the next. */
function siteOf(pages: readonly Partial<ListPage>[]): Site {
  return (url) => {
    const number = url === FIRST ? 1 : Number(/page=(\d+)/.exec(url)?.[1]);
    const next = number < pages.length ? leadsTo(urlOf(number + 1)) : none;
    return listPage(url, { next, ...pages[number - 1] });
  };
}

describe('a walk is at its end', () => {
  it.each<[string, string, Partial<ListPage>[], WalkRules]>([
    ['without a next link', 'a page without a next link', [{ items: ['a'] }, { items: ['b'] }], {}],
    ['when the first page is empty', 'a first page without items', [{}], {}],
    [
      'after as many pages as are wanted',
      'as many pages as wanted',
      [{ items: ['a'] }, { items: ['b'] }],
      { maxPages: 1 },
    ],
    ['with an empty page', 'a page without items', [{ items: ['a'] }, {}], { lastPageMayBeEmpty: true }],
    [
      'with an empty page that is marked as such',
      'a page without items',
      [{ items: ['a'] }, { isMarkedEmpty: true }],
      { lastPageMayBeEmpty: '.none' },
    ],
    [
      'with a link to itself',
      'leads to the last page itself',
      [{ items: ['a'] }, { items: ['b'], next: leadsTo(urlOf(2)) }],
      { nextOnLastPage: 'itself' },
    ],
    [
      'with a link to the first page',
      'leads to the first page',
      [{ items: ['a'] }, { items: ['b'], next: leadsTo(FIRST) }],
      { nextOnLastPage: ['absent', 'first-page'] },
    ],
    [
      'with a link that leads nowhere',
      'leads nowhere',
      [{ items: ['a'], next: { kind: 'dead', written: 'javascript:', isSelf: false } }],
      { nextOnLastPage: 'disabled' },
    ],
    [
      'with all that the site states, whatever follows',
      'all 1 items that the site states',
      [
        { items: ['a'], total: 1 },
        { next: leadsTo(urlOf(3)), total: 1 },
      ],
      {},
    ],
  ])('%s', (_, reason, pages, rules) => {
    const { end } = walk(siteOf(pages), rules);
    expect(end).toMatchObject({ kind: 'ended', reason: expect.stringContaining(reason) });
  });

  it('with a reason that says "ended with" once, where the site states its total', () => {
    const { end } = walk(siteOf([{ items: ['a'], total: 1 }]), {});
    expect(end).toMatchObject({ kind: 'ended', reason: 'ended with a page without a next link' });
  });

  it('with all items, be they stated as items or as rows, where items may repeat', () => {
    const pages = (total: number) => [
      { items: ['top', 'a'], total },
      { items: ['top', 'b'], total },
    ];
    expect(walk(siteOf(pages(4))).end).toMatchObject({ kind: 'does_not_fit' });
    for (const [total, kind] of [
      [3, 'ended'],
      [4, 'ended'],
      [2, 'does_not_fit'],
      [5, 'does_not_fit'],
    ] as const) {
      expect(walk(siteOf(pages(total)), { itemsMayRepeat: true }).end.kind).toBe(kind);
    }
  });
});

describe('a walk is not complete', () => {
  it.each<[string, PageDecision['kind'], Partial<ListPage>[], WalkRules]>([
    ['only 1 of the 2 items that the site states', 'does_not_fit', [{ items: ['a'], total: 2 }], {}],
    ['only 0 of the 2 items that the site states', 'does_not_fit', [{ total: 2 }], {}],
    ['only 1 of the 2 items', 'does_not_fit', [{ items: ['a'], total: 2 }, {}], { maxPages: 1 }],
    ['2 items, but the site states 1', 'does_not_fit', [{ items: ['a', 'b'], total: 1 }], {}],
    ['1 of the items on page 2 had been', 'does_not_fit', [{ items: ['a', 'b'] }, { items: ['b', 'c'] }], {}],
    [
      'page 2 states a total of 4, the page before 3',
      'does_not_fit',
      [
        { items: ['a'], total: 3 },
        { items: ['b'], total: 4 },
      ],
      {},
    ],
    ['page 2 has no items, although', 'does_not_fit', [{ items: ['a'] }, {}], {}],
    ['page 2 has no items, but a next link', 'not_believed', [{ items: ['a'] }, {}, { items: ['b'] }], {}],
    ['page 1 has no items, but a next link', 'not_believed', [{}, { items: ['b'] }], { lastPageMayBeEmpty: true }],
    [
      'has no address that can be fetched (#)',
      'not_believed',
      [{ items: ['a'], next: { kind: 'dead', written: '#', isSelf: true } }],
      {},
    ],
    ['leads to that page itself', 'does_not_fit', [{ items: ['a'], next: leadsTo(FIRST) }], {}],
    ['leads back to page 1', 'does_not_fit', [{ items: ['a'] }, { items: ['b'], next: leadsTo(FIRST) }], {}],
    ['page 2 has no next link', 'not_believed', [{ items: ['a'] }, { items: ['b'] }], { nextOnLastPage: 'itself' }],
    ['shows the same items as page 1', 'does_not_fit', [{ items: ['a'] }, { items: ['a'] }], {}],
    [
      'was redirected to https://court.example/login',
      'not_believed',
      [{ items: ['a'] }, { url: 'https://court.example/login' }],
      {},
    ],
  ])('%s', (reason, kind, pages, rules) => {
    expect(walk(siteOf(pages), rules).end).toMatchObject({ kind, reason: expect.stringContaining(reason) });
  });

  it('when it links to a further page that was not read', () => {
    const known = { ...NOTHING_KNOWN, fresh: ['a'], unreadPage: urlOf(2) };
    const decision = decidePage(BEGUN, FIRST, listPage(FIRST, { items: ['a'] }), known, {});
    expect(decision).toMatchObject({ kind: 'not_believed', reason: expect.stringContaining(urlOf(2)) });
    expect(decidePage(BEGUN, FIRST, listPage(FIRST, { items: ['a'] }), known, { maxPages: 1 }).kind).toBe('ended');
  });

  it('when it has no end, and nobody has set one', () => {
    const before = { pages: 9_999, listed: 9_999, urls: 9_999, statedTotal: undefined };
    const page = listPage(urlOf(10_000), { items: ['x'], next: leadsTo(urlOf(10_001)) });
    const known = { ...NOTHING_KNOWN, fresh: ['x'] };
    expect(decidePage(before, urlOf(10_000), page, known, {}).kind).toBe('does_not_fit');
    expect(decidePage(before, urlOf(10_000), page, known, { maxPages: 20_000 }).kind).toBe('goes_on');
  });
});

describe('pages are read a second time', () => {
  it.each<[number, number | undefined, boolean, WalkRules, number]>([
    [12, undefined, true, {}, 1],
    [12, undefined, true, { recheck: 'every-page' }, 12],
    [12, undefined, true, { recheck: 'none' }, 0],
    [12, 120, true, { recheck: 'every-page' }, 12],
    [1, undefined, true, { recheck: 'every-page' }, 0],
    [1, undefined, false, {}, 1],
  ])('of %d with a total of %s, known end %s, %o: %d', (pages, statedTotal, hasEnd, rules, expected) => {
    expect(pagesToRecheck({ pages, statedTotal }, hasEnd, rules)).toBe(expected);
  });
});

// The oracle: whoever made the world knows which items the list has.

const NEXT_ON_LAST_PAGE: NextOnLastPage[] = ['absent', 'disabled', 'itself', 'first-page'];

/** What page `at` does instead of what it should. All of it can be seen, without a total. */
const FAULTS = [
  'none',
  'redirect-first',
  'redirect-last',
  'redirect-away',
  'dead',
  'self',
  'back',
  'empty',
  'repeat',
] as const;

const World = fc
  .record({
    pages: fc.integer({ min: 2, max: 6 }),
    size: fc.integer({ min: 1, max: 3 }),
    fault: fc.constantFrom(...FAULTS),
    at: fc.integer({ min: 2, max: 6 }),
    endsWith: fc.constantFrom(...NEXT_ON_LAST_PAGE),
    declared: fc.option(fc.uniqueArray(fc.constantFrom(...NEXT_ON_LAST_PAGE), { minLength: 1 }), { nil: undefined }),
    lastPageMayBeEmpty: fc.boolean(),
    statesTotal: fc.boolean(),
  })
  .map((world) => ({ ...world, at: Math.min(world.at, world.pages) }));
type World = typeof World extends fc.Arbitrary<infer T> ? T : never;

function siteIn({ pages, size, fault, at, endsWith, statesTotal }: World): Site {
  const itemsOf = (page: number) => Array.from({ length: size }, (_, index) => `item ${page}.${index}`);
  const total = statesTotal ? pages * size : undefined;
  const lastNext = {
    absent: none,
    disabled: { kind: 'dead', written: 'javascript:void(0)', isSelf: false },
    itself: leadsTo(urlOf(pages)),
    'first-page': leadsTo(FIRST),
  } as const satisfies Record<NextOnLastPage, NextLink>;
  const usual = (page: number): Partial<ListPage> => {
    return { items: itemsOf(page), next: page < pages ? leadsTo(urlOf(page + 1)) : lastNext[endsWith], total };
  };
  const instead: Record<(typeof FAULTS)[number], () => Partial<ListPage>> = {
    none: () => usual(at),
    'redirect-first': () => ({ ...usual(1), url: FIRST }),
    'redirect-last': () => ({ ...usual(pages), url: urlOf(pages) }),
    'redirect-away': () => ({ url: 'https://court.example/login', total }),
    dead: () => ({ ...usual(at), next: { kind: 'dead', written: 'mailto:x', isSelf: false } }),
    self: () => ({ ...usual(at), next: leadsTo(urlOf(at)) }),
    back: () => ({ ...usual(at), next: leadsTo(FIRST) }),
    empty: () => ({ ...usual(at), items: [], next: leadsTo(urlOf(at + 1)) }),
    repeat: () => usual(at - 1),
  };
  return (url) => {
    const page = url === FIRST ? 1 : Number(/page=(\d+)/.exec(url)?.[1]);
    return listPage(url, page === at ? instead[fault]() : usual(page));
  };
}

/** Whether the author has declared the very thing that the fault looks like: then nobody can tell it from an end. */
function looksDeclared({ fault, at, pages, declared = ['absent'], size }: World): boolean {
  if (fault === 'redirect-last') return at === pages;
  const looksLike: Partial<Record<(typeof FAULTS)[number], NextOnLastPage>> = {
    dead: 'disabled',
    self: 'itself',
    back: 'first-page',
  };
  if (fault === 'repeat') return declared.includes('itself') || (at === 2 && declared.includes('first-page'));
  const alike = looksLike[fault];
  return size > 0 && alike !== undefined && declared.includes(alike);
}

const rulesIn = ({ declared, lastPageMayBeEmpty }: World): WalkRules => ({
  lastPageMayBeEmpty,
  ...(declared !== undefined && { nextOnLastPage: declared }),
});

it('a walk that ends has all items, whatever a page does, unless the author declared that lists end like that', () => {
  fc.assert(
    fc.property(World, (world) => {
      fc.pre(world.statesTotal || !looksDeclared(world));
      const { end, collected } = walk(siteIn(world), rulesIn(world));
      if (end.kind === 'ended') expect(collected.size).toBe(world.pages * world.size);
    }),
    { numRuns: 5_000 },
  );
});

it('a list without a fault that ends as declared is complete', () => {
  fc.assert(
    fc.property(World, (given) => {
      const world = { ...given, fault: 'none' } as const;
      const { end, collected } = walk(siteIn(world), rulesIn(world));
      const isDeclared = (world.declared ?? ['absent']).includes(world.endsWith);
      expect(end.kind === 'ended').toBe(isDeclared || world.statesTotal);
      if (isDeclared) expect(collected.size).toBe(world.pages * world.size);
    }),
    { numRuns: 2_000 },
  );
});

// A list is complete only if the walk can say why it ended. A hostile server, a real walk, a real ledger.

import { beforeEach, describe, expect, it } from 'vitest';
import { walkSite } from '../../src/engine/walk-site.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { StartPage } from '../../src/ledger/sites/partial-run-table.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { defineSite, type ListOptions } from '../../src/sites/define-site.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { CourtCases, pages } from './court-site.ts';
import { type Answer, type ListOnServer, type PageParts, startHostileList } from './hostile-list.ts';

const scratch = scratchDirectory();
let list: ListOnServer;

beforeEach(async () => {
  list = closing(await startHostileList());
});

const LAST = 12;
const page = (parts: Partial<PageParts>, cutOff?: number): Answer => ({
  kind: 'page',
  parts,
  ...(cutOff !== undefined && { cutOff }),
});
const redirect = (to: string): Answer => ({ kind: 'redirect', to });

/** Page 7 answers so, all others as usual. */
function onPage7(answer: Answer): void {
  list.answer = (number) => (number === 7 ? answer : undefined);
}

function walk(options: ListOptions = {}, startPages = ['/list'], hosts: readonly string[] = []) {
  const site = defineSite({
    domain: 'hostile.example',
    startPages,
    list: { items: 'a.case', next: '.next', ...options },
    scraper: CourtCases,
    itemStep: 'parseCase',
  });
  const settings = { baseUrl: list.url, allowHosts: [new URL(list.url).host, ...hosts], rate: 'off' } as const;
  return walkSite(site, { data: scratch('data'), ...settings }).end;
}

async function inLedger<T>(look: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await Ledger.open(scratch('data'), { clock: systemClock });
  try {
    return await look(ledger);
  } finally {
    await ledger.close();
  }
}

/** Walks, expects that nothing was committed, and gives where the list stands. */
async function incomplete(options: ListOptions = {}, hosts: readonly string[] = []): Promise<StartPage | undefined> {
  await expect(walk(options, ['/list'], hosts)).rejects.toMatchObject({ code: 'incomplete_pagination' });
  const [partial, runs] = await inLedger(async (ledger) => [
    await ledger.sites.partialRun('hostile.example'),
    await ledger.runs(9),
  ]);
  expect(runs).toEqual([]);
  const [startPage] = partial?.startPages ?? [];
  expect(startPage?.completed).toBe(false);
  return startPage;
}

async function complete(options: ListOptions = {}, items = 120, startPages = ['/list']): Promise<void> {
  expect(await walk(options, startPages)).toMatchObject({ kind: 'committed', run: { items } });
}

it('a list that behaves is complete, and its first page is read a second time', async () => {
  await complete();
  expect(list.asked).toEqual([...pages(1, LAST), 1]);
});

describe('a page that is redirected leaves the list incomplete', () => {
  const OPTIONS: [string, ListOptions][] = [
    ['by default', {}],
    ['also when a last page may be empty', { lastPageMayBeEmpty: true }],
    ['also when lists end with a link to the first page', { nextOnLastPage: ['first-page', 'itself', 'absent'] }],
  ];
  for (const [when, options] of OPTIONS) {
    it.each(['/list', '/list?page=1', '/list?page=6', '/list?page=12', '/list?page=99', '/login'])(
      `to %s, ${when}`,
      async (to) => {
        onPage7(redirect(to));
        const { reason } = (await incomplete(options)) ?? {};
        expect(reason).toMatch(/page 7 was redirected to/);
      },
    );
  }

  it.each(['/archive', '/login', 'http://localhost:PORT/list?page=1'])(
    'to %s, when it is the start page',
    async (to) => {
      const { port } = new URL(list.url);
      list.answer = (_, nth) => (nth === 1 ? redirect(to.replace('PORT', port)) : undefined);
      const { reason } = (await incomplete({}, ['localhost'])) ?? {};
      expect(reason).toMatch(/the start page was redirected to \S+\. If the list has moved, .* as the start page/);
      expect(reason).toContain('list.pagesMayRedirect');
    },
  );

  it('unless the start page is the address where it ends, or pagesMayRedirect says so', async () => {
    list.answer = (_, nth) => (nth === 1 ? redirect('/archive') : undefined);
    await complete({ pagesMayRedirect: true, recheck: 'none' }, 2);
    await complete({}, 2, ['/archive']);
  });

  it.each(['/list?page=1', '/list/', '/list;jsessionid=1'])(
    'but not the start page to %s, which is the same',
    async (to) => {
      list.answer = (_, nth) => (nth === 1 ? redirect(to) : undefined);
      await complete({ recheck: 'none' });
    },
  );

  it('and the walk goes on at that page when the session is back', async () => {
    onPage7(redirect('/login'));
    await incomplete();
    list.answer = () => undefined;
    list.asked.length = 0;
    await complete();
    expect(list.asked).toEqual([...pages(7, LAST), 1]);
  });

  it('and is walked anew when the page is redirected a second time', async () => {
    onPage7(redirect('/list'));
    await incomplete();
    list.asked.length = 0;
    list.items = pages(1, 60);
    await complete({}, 60);
    // Page 7 leads to page 1 by itself, before the list is walked anew.
    expect(list.asked).toEqual([7, 1, ...pages(1, 6), 1]);
  });

  it('but not when it is the same page at another address of the site', async () => {
    list.answer = (number) =>
      list.asked.length % 2 === 1 ? redirect(`/list?session=${list.asked.length}&page=${number}`) : undefined;
    await complete();
  });

  it('but not when all that the site states is there', async () => {
    list.answer = (number) => {
      if (number > LAST) return redirect('/list');
      const next = `<a class="next" href="?page=${number + 1}">Next</a>`;
      return page({ total: '<p class="total">120 cases</p>', next });
    };
    await complete({ total: '.total' });
  });
});

describe('a next link without a usable address', () => {
  const DEAD = [
    '<a class="next" href="javascript:void(0)">Next</a>',
    '<a class="next" href="#">Next</a>',
    '<a class="next" href="#top">Next</a>',
    '<a class="next" href="">Next</a>',
    '<a class="next" href=" ">Next</a>',
    '<a class="next" href="mailto:clerk@court.example">Next</a>',
    '<a class="next">Next</a>',
    '<a class="next" href="http://[">Next</a>',
    '<span class="next disabled">Next</span>',
    '<button class="next">Next</button>',
  ];
  it.each(DEAD)('leaves the list incomplete: %s', async (next) => {
    onPage7(page({ next }));
    const { reason, pages: read } = (await incomplete()) ?? {};
    expect(reason).toMatch(/the next link of page 7 has no address that can be fetched/);
    expect(read).toBe(6);
  });

  it.each(DEAD)('leaves the list incomplete on the first page: %s', async (next) => {
    list.answer = (number) => (number === 1 ? page({ next }) : undefined);
    await incomplete();
  });

  it.each(DEAD)('is the end where the site declares it: %s', async (next) => {
    list.answer = (number) => (number === LAST ? page({ next }) : undefined);
    await complete({ nextOnLastPage: 'disabled' });
  });

  it('is not the end where the same page has another one that can be used', async () => {
    list.answer = (number) =>
      number < LAST
        ? page({ next: `<a class=next href="#"></a><a class=next href="?page=${number + 1}">2</a>` })
        : undefined;
    await complete();
  });
});

describe('a next link that leads to a page already read', () => {
  it.each([
    ['to itself', '?page=7'],
    ['to the first page', '/list'],
    ['to the first page by another address', '?page=1'],
    ['to the page before', '?page=6'],
    ['to an earlier page', '?page=3'],
  ])('leaves the list incomplete: %s', async (_, to) => {
    onPage7(page({ next: `<a class="next" href="${to}">Next</a>` }));
    expect((await incomplete())?.reason).toMatch(/leads (back )?to|shows the same items as/);
  });

  it.each([
    ['itself', '?page=12'],
    ['itself', '#'],
    ['first-page', '/list'],
    ['first-page', '?page=1'],
  ] as const)('is the end where the site declares %s: %s', async (nextOnLastPage, to) => {
    list.answer = (number) => (number === LAST ? page({ next: `<a class="next" href="${to}">Next</a>` }) : undefined);
    await complete({ nextOnLastPage });
  });

  it('is the end where the last page comes again at the next address, and the site declares it', async () => {
    list.answer = (number) => {
      const shown = Math.min(number, LAST);
      const items = list.items.slice((shown - 1) * 10, shown * 10);
      return page({ items, next: `<a class="next" href="?page=${number + 1}">Next</a>` });
    };
    await complete({ nextOnLastPage: 'itself' });
  });

  it.each(['itself', 'first-page', 'disabled'] as const)(
    'has to be there on the last page where the site declares %s',
    async (nextOnLastPage) => {
      expect((await incomplete({ nextOnLastPage }))?.reason).toContain('page 12 has no next link');
    },
  );
});

describe('a page without items', () => {
  const NEXT = '<a class="next" href="?page=8">Next</a>';
  it.each([
    ['with a next link', NEXT, {}],
    ['with a next link, where a last page may be empty', NEXT, { lastPageMayBeEmpty: true }],
    ['with a next link, where a mark says so', `<p class=none>None</p>${NEXT}`, { lastPageMayBeEmpty: '.none' }],
    ['without a next link', '', {}],
    ['without a next link, and without the mark of an empty page', '', { lastPageMayBeEmpty: '.none' }],
    ['with rel=next', '<a rel="next" href="?page=8">x</a>', { lastPageMayBeEmpty: true }],
  ])('leaves the list incomplete: %s', async (_, next, options) => {
    onPage7(page({ items: [], next }));
    expect((await incomplete(options))?.reason).toMatch(/page 7 has no items|page 7 has no usable next link/);
  });

  it('leaves the list incomplete when it is the first one and leads on', async () => {
    list.answer = (number) => (number === 1 ? page({ items: [] }) : undefined);
    expect((await incomplete({ lastPageMayBeEmpty: true }))?.reason).toMatch(/page 1 has no items/);
  });

  it.each([
    ['where the site declares it', true],
    ['where it shows what the site declares', '.none'],
  ])('without a next link is the end %s', async (_, lastPageMayBeEmpty) => {
    list.answer = (number) => {
      if (number > LAST) return page({ items: [], next: '<p class="none">No cases</p>' });
      return page({ next: `<a class="next" href="?page=${number + 1}">Next</a>` });
    };
    await complete({ lastPageMayBeEmpty });
  });
});

describe('an item without a usable address', () => {
  it.each(['javascript:open(1)', '#', ''])('leaves the list incomplete instead of being lost: %j', async (href) => {
    onPage7(page({ pager: `<a class="case" href="${href}">Case 999</a>` }));
    expect((await incomplete())?.reason).toMatch(/`a.case` matches 11 times, 1 of them without an address/);
  });
});

describe('without a total, a list is incomplete', () => {
  it.each([
    ['a renamed next link with the same text', '<a class="fwd" href="/list?cursor=abc">Next</a>'],
    ['a renamed next link with an arrow', '<a class="fwd" href="/list?cursor=abc">Next »</a>'],
    ['a renamed next link with a label only', '<a aria-label="Next page" href="/list?cursor=abc"><i></i></a>'],
    ['a next link that a script follows', '<a class="fwd" href="#" onclick="go(8)">Next</a>'],
    ['a form for the next page', '<form method="post"><button>Next</button></form>'],
    ['a renamed next link with the next number', '<a class="fwd" href="?page=8">&gt;</a>'],
    ['numbers beyond the page', '<a href="?page=6">6</a> <b>7</b> <a href="?page=8">8</a> <a href="?page=12">12</a>'],
    ['rel=next on a link', '<a rel="nofollow next" href="/list?cursor=abc">&gt;</a>'],
  ])('when the last page it found has %s', async (_, pager) => {
    list.answer = (number) => (number >= 7 ? page({ next: '', pager }) : undefined);
    expect((await incomplete())?.reason).toMatch(/page 7 has no usable next link, but links to a further page/);
  });

  it('when the head of the last page it found names a next page', async () => {
    onPage7(page({ next: '', head: '<link rel="next" href="/list?page=8">' }));
    expect((await incomplete())?.reason).toContain('/list?page=8');
  });

  it('when the first page has no next link, but page numbers', async () => {
    list.answer = (number) => (number === 1 ? page({ next: '', pager: '<a href="/list?page=2">2</a>' }) : undefined);
    expect((await incomplete())?.reason).toContain('page 1 has no usable next link');
  });

  it('but complete when its last page links to earlier ones only', async () => {
    const pager =
      '<a href="?page=1">1</a> <a href="?page=11">11</a> <a href="?page=12">12</a> <a href="/about?page=99">?</a>';
    list.answer = () => page({ pager });
    await complete();
  });

  it.each([
    ['after its items', 7, 0.97],
    ['that is the last', LAST, 0.5],
  ])('when a page is cut off %s, each time it is asked for', async (_, number, cutOff) => {
    list.answer = (asked) => (asked === number ? page({}, cutOff) : undefined);
    const { reason, failureCount = 0 } = (await incomplete()) ?? {};
    expect(reason).toContain('the page was cut off');
    expect(failureCount).toBeGreaterThan(1);
  });

  it('but complete when a page that was cut off comes whole when it is asked for again', async () => {
    let times = 0;
    list.answer = (number) => (number === 7 && times++ === 0 ? page({}, 0.4) : undefined);
    await complete();
  });

  it('and its only page is read twice when nothing says where it ends', async () => {
    let times = 0;
    list.answer = (number) => (number === 1 && times++ === 0 ? page({}, 0.4) : undefined);
    await complete();
  });
});

describe('items that are added or removed while a list is walked', () => {
  /** Before the `nth` list page is answered. */
  function beforePage(nth: number, change: () => void): void {
    list.answer = (_, count) => void (count === nth && change());
  }

  it('on its first page, without a total, have it walked again', async () => {
    beforePage(5, () => list.items.splice(2, 1));
    await complete({}, 119);
    expect(list.asked).toEqual([...pages(1, LAST), 1, ...pages(1, LAST), 1]);
  });

  it('at the top, with items that may repeat, have it walked again', async () => {
    beforePage(5, () => list.items.unshift(500));
    await complete({ itemsMayRepeat: true }, 121);
  });

  it('again and again leave it incomplete, with the reason', async () => {
    list.answer = (_, count) => void (count % 5 === 0 && list.items.shift());
    const { reason } = (await incomplete()) ?? {};
    expect(reason).toMatch(/items moved while they were read: page 1 had changed each of the 4 times/);
  });

  it('are seen behind a total that stays the same, where every page is read a second time', async () => {
    list.answer = (_, count) => {
      if (count === 6) list.items = [...list.items.toSpliced(25, 1), 500];
      return page({ total: '<p class="total">120 cases</p>' });
    };
    await complete({ total: '.total', recheck: 'every-page' }, 120);
    expect(list.asked).toEqual([...pages(1, LAST), 1, 2, 3, ...pages(3, LAST), ...pages(1, LAST)]);
  });

  it('in the middle are seen where every page is read a second time, and it is walked again from there', async () => {
    beforePage(6, () => list.items.splice(25, 1));
    await complete({ recheck: 'every-page' }, 119);
    expect(list.asked).toEqual([...pages(1, LAST), 1, 2, 3, ...pages(3, LAST), ...pages(1, LAST)]);
  });

  it('are not looked for where the site says so', async () => {
    await complete({ recheck: 'none' });
    expect(list.asked).toEqual(pages(1, LAST));
  });

  it('are seen after a walk that was stopped before its first page was read again', async () => {
    list.answer = (number, count) => (number === 1 && count > 1 ? { kind: 'status', status: 404 } : undefined);
    expect(await incomplete()).toMatchObject({ pages: LAST, urls: 120, reason: expect.stringContaining('404') });
    list.asked.length = 0;
    list.answer = () => undefined;
    list.items.splice(2, 1);
    await complete({}, 119);
    expect(list.asked).toEqual([1, ...pages(1, LAST), 1]);
  });
});

describe('a stated total', () => {
  const stating = (total: (number: number) => string) => {
    list.answer = (number) => page({ total: total(number) });
  };
  it('that is absent on a page leaves the list incomplete', async () => {
    stating((number) => (number === 7 ? '' : '<p class="total">120 cases</p>'));
    expect((await incomplete({ total: '.total' }))?.reason).toMatch(/page 7, .*`.total` matches 0 times/);
  });

  it.each([
    ['121 cases', /only 120 of the 121 items/],
    ['20 per page', /120 items, but the site states 20/],
  ])('of "%s" leaves a list of 120 incomplete', async (text, reason) => {
    stating(() => `<p class="total">${text}</p>`);
    expect((await incomplete({ total: '.total' }))?.reason).toMatch(reason);
  });

  it('that is reached needs no second look', async () => {
    stating(() => '<p class="total">120 cases</p>');
    await complete({ total: '.total' });
    expect(list.asked).toEqual(pages(1, LAST));
  });
});

// How a walk over the lists of a site ends, and when it is not complete. A real court, a real ledger.

import { describe, expect, it } from 'vitest';
import type { CaseList } from '../../sim/court/case-lists.ts';
import { type CourtOptions, type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { walkSite, workSite } from '../../src/engine/walk-site.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { StartPage } from '../../src/ledger/sites/partial-run-table.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { courtSite, pages, pagesAsked, walkCourt } from './court-site.ts';

const scratch = scratchDirectory();
const IDS = pages(1, 100);

/** A court with one list of 100 cases, 5 pages, that misbehaves as given. */
async function courtWith(list: Partial<CaseList>, options: CourtOptions = {}): Promise<RunningCourt> {
  return closing(await startCourt({ ...options, lists: [{ name: 'all', cases: IDS, ...list }] }));
}

const ALL = { startPages: ['/list/all'] };

async function inLedger<T>(look: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await Ledger.open(scratch('data'), { clock: systemClock });
  try {
    return await look(ledger);
  } finally {
    await ledger.close();
  }
}

async function startPages(): Promise<readonly StartPage[]> {
  return (await inLedger(({ sites }) => sites.partialRun('court.example')))?.startPages ?? [];
}

/** Walks, expects that nothing was committed, and gives what is kept. */
async function refused(court: RunningCourt, site = courtSite(ALL)): Promise<StartPage | undefined> {
  await expect(walkCourt(court, scratch('data'), site).end).rejects.toMatchObject({ code: 'incomplete_pagination' });
  expect(await inLedger((ledger) => ledger.runs(9))).toEqual([]);
  return (await startPages())[0];
}

describe('a walk', () => {
  it.each([
    ['selectors', courtSite(ALL)],
    ['a step', courtSite({ ...ALL, list: { step: 'parseList', total: '.total' } })],
  ])('by %s finds every item, in the order of the list', async (_, site) => {
    const court = await courtWith({});
    const end = await walkCourt(court, scratch('data'), site).end;
    expect(end).toMatchObject({ kind: 'committed', run: { items: 100 } });
    expect(pagesAsked(court)).toEqual({ all: pages(1, 5) });
    const items = end.kind === 'committed' ? await inLedger(({ sites }) => sites.itemsOf(end.run.id)) : [];
    expect(items.map(({ url }) => url)).toEqual(IDS.map((id) => `${court.url}/case/${id}`));
  });

  it('has its items worked off like any run: verdicts, records, health', async () => {
    const court = await courtWith({ cases: [...IDS, 999] });
    const end = await walkCourt(court, scratch('data'), courtSite(ALL)).end;
    const run = end.kind === 'committed' ? end.run.id : expect.fail();
    const summary = await workSite(courtSite(ALL), { data: scratch('data'), run }).summary;
    expect(summary).toMatchObject({
      status: 'completed',
      health: 'ok',
      requests: { done: 100, absent: 1 },
      records: 100,
    });
  });

  it('knows the same case from two lists as one item with both start pages', async () => {
    const lists = [
      { name: 'civil', cases: pages(1, 30) },
      { name: 'criminal', cases: pages(25, 45) },
    ];
    const court = closing(await startCourt({ lists }));
    const end = await walkCourt(court, scratch('data')).end;
    const run = end.kind === 'committed' ? end.run.id : expect.fail();
    const items = await inLedger(({ sites }) => sites.itemsOf(run));
    const both = items.filter((item) => item.startPages.length === 2);
    expect(items.map(({ url }) => url)).toEqual(pages(1, 45).map((id) => `${court.url}/case/${id}`));
    expect(both.map(({ url }) => url)).toEqual(pages(25, 30).map((id) => `${court.url}/case/${id}`));
    expect(both[0]?.startPages).toEqual([`${court.url}/list/civil`, `${court.url}/list/criminal`]);
    await workSite(courtSite(), { data: scratch('data'), run }).summary;
    const asked = court.log.entries.filter(({ path }) => path.startsWith('/case/')).map(({ path }) => path);
    expect(new Set(asked).size).toBe(45);
    expect(asked).toHaveLength(45);
  });
});

describe('the end of a list', () => {
  it('is a page that leads back to one that was read, when all that the site states is there', async () => {
    const court = await courtWith({ quirks: [{ kind: 'loop', from: 5, to: 2 }] });
    expect(await walkCourt(court, scratch('data'), courtSite(ALL)).end).toMatchObject({ run: { items: 100 } });
    expect(pagesAsked(court)).toEqual({ all: pages(1, 5) });
  });

  it('is a page that shows what one of another address has shown', async () => {
    // The first page was asked for as /list/all.
    const court = await courtWith({ quirks: [{ kind: 'loop', from: 5, to: 1 }] });
    expect(await walkCourt(court, scratch('data'), courtSite(ALL)).end).toMatchObject({ run: { items: 100 } });
    expect(pagesAsked(court)).toEqual({ all: [...pages(1, 5), 1] });
  });

  it('is not a loop that leaves out what the site states', async () => {
    const court = await courtWith({ quirks: [{ kind: 'loop', from: 3, to: 2 }] });
    expect(await refused(court)).toMatchObject({
      completed: false,
      pages: 3,
      reason: expect.stringMatching(/^the next link of page 3 leads back to page 2/),
    });
  });

  it('is as many pages as the site file wants', async () => {
    const court = await courtWith({});
    const site = courtSite({ ...ALL, maxPages: 2, list: { items: 'table.cases a', next: 'a.next' } });
    expect(await walkCourt(court, scratch('data'), site).end).toMatchObject({ run: { items: 40 } });
    expect(pagesAsked(court)).toEqual({ all: [1, 2, 1] });
  });
});

describe('a walk is not complete', () => {
  it('when a stated total is not reached', async () => {
    const court = await courtWith({ quirks: [{ kind: 'total', stated: 120 }] });
    expect(await refused(court)).toMatchObject({ reason: 'only 100 of the 120 items that the site states', urls: 100 });
  });

  it.each([
    ['as the stated total shows', '.total', /^items moved .*page 4 states a total of 101, the page before 100$/],
    ['as the items show', undefined, /^items moved .*1 of the items on page 4 had been on an earlier one$/],
  ])('when items move between pages, %s', async (_, total, reason) => {
    const court = await courtWith({ quirks: [{ kind: 'insert', afterRequests: 3, id: 400 }] });
    const list = { items: 'table.cases a', next: 'a.next', ...(total !== undefined && { total }) };
    expect(await refused(court, courtSite({ ...ALL, list }))).toMatchObject({
      completed: false,
      pages: 4,
      reason: expect.stringMatching(reason),
    });
    // Walked again from its beginning, since what was read does not fit together.
    const before = court.log.entries.length;
    expect(await walkCourt(court, scratch('data'), courtSite({ ...ALL, list })).end).toMatchObject({
      run: { items: 101 },
    });
    // Without a total the first page is read a second time.
    expect(pagesAsked(court, before)).toEqual({ all: total === undefined ? [...pages(1, 6), 1] : pages(1, 6) });
  });

  it('when a page does not fit, and it goes on there when the site file is mended', async () => {
    const court = await courtWith({});
    const broken = courtSite({ ...ALL, list: { items: 'table.cases a', next: 'a.next', total: '.count' } });
    expect(await refused(court, broken)).toMatchObject({
      pages: 0,
      reason: expect.stringMatching(/^page 1, .*\/list\/all: `\.count` matches 0 times/),
    });
    expect(await walkCourt(court, scratch('data'), courtSite(ALL)).end).toMatchObject({ run: { items: 100 } });
  });

  it('when a list page is refused, and the other lists are walked all the same', async () => {
    const court = closing(await startCourt());
    const fault = court.faults.set({ kind: 'status', status: 404, path: '/list/civil?page=3' });
    await expect(walkCourt(court, scratch('data')).end).rejects.toThrow(/civil \(page 3, .*404 Not Found\)/);
    expect(await startPages()).toMatchObject([
      { completed: false, pages: 2, urls: 40, failureCount: 1 },
      { completed: true, pages: 12, urls: 240, failureCount: 0 },
    ]);
    await court.faults.clear(fault);
    const before = court.log.entries.length;
    expect(await walkCourt(court, scratch('data')).end).toMatchObject({ run: { items: 480 } });
    expect(pagesAsked(court, before)).toEqual({ civil: pages(3, 12) });
  });

  it('when robots.txt says no', async () => {
    const court = await courtWith({}, { robots: 'User-agent: *\nDisallow: /list/all?page=4\n' });
    expect(await refused(court)).toMatchObject({ pages: 3, reason: expect.stringContaining('robots.txt') });
  });
});

describe('S7: a network failure', () => {
  it('is retried, is not "0 URLs", and is kept in the history', async () => {
    const court = await courtWith({});
    court.faults.set({ kind: 'reset', path: '/list/all', count: 2 });
    let failures: Promise<unknown> | undefined;
    const handle = walkCourt(court, scratch('data'), courtSite(ALL), {
      onProgress({ id, completed }) {
        // The commit will clear them.
        if (completed) failures = inLedger(({ sites }) => sites.failuresOf(id));
      },
    });
    expect(await handle.end).toMatchObject({ kind: 'committed', run: { items: 100 } });
    const failure = { at: expect.any(Number), proxy: '', error: expect.stringMatching(/reset|closed/i) };
    expect(await failures).toEqual([failure, failure]);
  });
});

describe('stopping', () => {
  it('keeps what was walked, and the next walk goes on there with the same settings', async () => {
    const court = await courtWith({});
    const handle = walkCourt(court, scratch('data'), courtSite(ALL), {
      onProgress: ({ pages }) => pages === 3 && handle.stop(),
    });
    expect(await handle.end).toEqual({ kind: 'stopped' });
    expect(await startPages()).toMatchObject([{ pages: 3, urls: 60, completed: false }]);
    expect(await walkSite(courtSite(ALL), { data: scratch('data') }).end).toMatchObject({ run: { items: 100 } });
    expect(pagesAsked(court)).toEqual({ all: pages(1, 5) });
  });

  it('after the last page begins no run', async () => {
    const court = await courtWith({});
    const handle = walkCourt(court, scratch('data'), courtSite(ALL), {
      onProgress: ({ completed }) => completed && handle.stop(),
    });
    expect(await handle.end).toEqual({ kind: 'stopped' });
    expect(await startPages()).toMatchObject([{ completed: true, urls: 100 }]);
  });
});

describe('a site', () => {
  it('has a walker and a partial run from one moment on: who is told of the one can stop the other', async () => {
    await inLedger(async ({ sites }) => {
      const broken = new Proxy([], { get: () => expect.fail('the partial run cannot be written') });
      await expect(sites.takeWalk('court.example', broken, {}, 'a hash')).rejects.toThrow('cannot be written');
      expect(await sites.holderOf('court.example')).toBeUndefined();
      expect(await sites.partialRun('court.example')).toBeUndefined();
    });
  });

  it('is walked by one process at a time, and what a former walker brings is rejected', async () => {
    await inLedger(async ({ sites }) => {
      const take = async () => {
        return (await sites.takeWalk('court.example', ['https://court.example/list'], {}, 'a hash')).writer;
      };
      const former = await take();
      await expect(take()).rejects.toMatchObject({
        code: 'run_owned',
        message: expect.stringContaining('The walk of court.example'),
      });
      const [page] = await former.startPages();
      await former.release();
      const walker = await take();
      await expect(former.giveUp(page ?? expect.fail(), 'late')).rejects.toMatchObject({ code: 'ownership_lost' });
      expect((await walker.startPages())[0]?.reason).toBeUndefined();
    });
  });
});

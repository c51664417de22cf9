// The rules of spec/scrape-runs.md, S1 to S10, each on a real ledger file. S11 and S12 are in proxies.test.ts, since they
// are about what leaves through real proxies.

import { beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { openSites, restart, type SitesInLedger, siteConfig } from './sites-in-ledger.ts';

const CIVIL = 'https://court.example/list/civil';
const CRIMINAL = 'https://court.example/list/criminal';
const MINUTE_MS = 60_000;

const scratch = scratchDirectory();
let clock: FakeClock;
let sites: SitesInLedger;

beforeEach(async () => {
  clock = new FakeClock();
  sites = await openSites(scratch('data'), clock);
});

const item = (n: number) => `https://court.example/case/${n}`;

/** Begins the partial run of a site that is made known first. */
async function start(siteId: string, startPages: readonly string[]) {
  await sites.manager.addSite(siteConfig(siteId));
  return sites.manager.startPagination(siteId, startPages);
}

async function again(): Promise<void> {
  sites = await restart(sites, scratch('data'), clock);
}

/** Walks both start pages of a site to their end. */
async function walkAll(siteId: string, civil: string[], criminal: string[]): Promise<void> {
  await start(siteId, [CIVIL, CRIMINAL]);
  await sites.manager.updatePaginationState(CIVIL, { collectedUrls: civil, completed: true });
  await sites.manager.updatePaginationState(CRIMINAL, { collectedUrls: criminal, completed: true });
}

describe('S1: partial runs', () => {
  it('are kept for each site, and several sites paginate at once', async () => {
    await start('court.example', [CIVIL, CRIMINAL]);
    await start('other.example', ['https://other.example/list']);
    await sites.manager.updatePaginationState(CIVIL, { collectedUrls: [item(1)] });
    await again();
    const court = await sites.manager.getPartialRun('court.example');
    const other = await sites.manager.getPartialRun('other.example');
    expect(court).toEqual({
      siteId: 'court.example',
      paginationStates: new Map([
        [CIVIL, { ...untouched(CIVIL), collectedUrls: [item(1)] }],
        [CRIMINAL, untouched(CRIMINAL)],
      ]),
      totalUrlsCollected: 1,
      createdAt: new Date(clock.now()),
      committedToDb: false,
    });
    expect(other?.totalUrlsCollected).toBe(0);
    expect([...(other?.paginationStates.keys() ?? [])]).toEqual(['https://other.example/list']);
  });

  it('that are started again keep their progress', async () => {
    await start('court.example', [CIVIL, CRIMINAL]);
    await sites.manager.updatePaginationState(CIVIL, { collectedUrls: [item(1)], completed: true });
    const before = await sites.manager.getPartialRun('court.example');
    await clock.advance(MINUTE_MS);
    await again();
    expect(await start('court.example', [CIVIL, CRIMINAL])).toEqual(before);
  });

  it('take over new start pages, and let those go that are not named any more', async () => {
    await start('court.example', [CIVIL, CRIMINAL]);
    await sites.manager.updatePaginationState(CIVIL, { collectedUrls: [item(1)] });
    const family = 'https://court.example/list/family';
    const partial = await start('court.example', [family, CIVIL, family]);
    expect([...partial.paginationStates.keys()]).toEqual([family, CIVIL]);
    expect(partial.totalUrlsCollected).toBe(1);
  });

  it('have at least one start page', async () => {
    await expect(start('court.example', [])).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('S2: an update', () => {
  beforeEach(() => start('court.example', [CIVIL, CRIMINAL]));

  it('merges: what it does not name stays', async () => {
    const failure = { timestamp: new Date(clock.now()), proxy: '', error: 'reset' };
    await sites.manager.updatePaginationState(CIVIL, { failureCount: 2, failureHistory: [failure] });
    await sites.manager.updatePaginationState(CIVIL, { collectedUrls: [item(1)] });
    await sites.manager.updatePaginationState(CIVIL, { completed: true });
    await again();
    expect((await sites.manager.getPartialRun('court.example'))?.paginationStates.get(CIVIL)).toEqual({
      startPageUrl: CIVIL,
      collectedUrls: [item(1)],
      failureCount: 2,
      failureHistory: [failure],
      completed: true,
    });
  });

  it('replaces the collected URLs, never appends, and the total is that of all start pages', async () => {
    await sites.manager.updatePaginationState(CRIMINAL, { collectedUrls: [item(7)] });
    await sites.manager.updatePaginationState(CIVIL, { collectedUrls: [item(1), item(2), item(3)] });
    expect((await sites.manager.getPartialRun('court.example'))?.totalUrlsCollected).toBe(4);
    await sites.manager.updatePaginationState(CIVIL, { collectedUrls: [item(9), item(8)] });
    const partial = await sites.manager.getPartialRun('court.example');
    expect(partial?.paginationStates.get(CIVIL)?.collectedUrls).toEqual([item(9), item(8)]);
    expect(partial?.totalUrlsCollected).toBe(3);
  });

  it('of a start page that no partial run has is an error that names it', async () => {
    const unknown = 'https://court.example/list/nobody';
    await expect(sites.manager.updatePaginationState(unknown, { completed: true })).rejects.toMatchObject({
      code: 'start_page',
      message: expect.stringContaining(unknown),
    });
  });

  it('of a start page that two sites have needs the site', async () => {
    await start('mirror.example', [CIVIL]);
    await expect(sites.manager.updatePaginationState(CIVIL, { completed: true })).rejects.toMatchObject({
      code: 'start_page',
      message: expect.stringMatching(/court\.example.*mirror\.example/),
    });
    await sites.manager.updatePaginationState(CIVIL, { completed: true }, 'mirror.example');
    const states = async (site: string) => (await sites.manager.getPartialRun(site))?.paginationStates.get(CIVIL);
    expect(await states('mirror.example')).toMatchObject({ completed: true });
    expect(await states('court.example')).toMatchObject({ completed: false });
  });
});

describe('startPagination', () => {
  const LISTS = [1, 2, 3].map((n) => `https://court.example/list/${n}`);

  it('refuses a site that is not known, and names one that is meant', async () => {
    await sites.manager.addSite(siteConfig('court.example'));
    await expect(sites.manager.startPagination('cuort.example', [CIVIL])).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('There is no site cuort.example'),
      remedy: expect.stringContaining('court.example'),
    });
    expect(await sites.ledger.sites.partialRuns()).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['a path', ['/list']],
    ['another scheme', ['ftp://court.example/list']],
    ['a script', ['javascript:void(0)']],
    ['an empty string', ['']],
    ['a number', [7]],
    ['one bad page among good ones', [CIVIL, 'nonsense']],
    ['a string instead of a list', CIVIL],
    ['nothing', undefined],
    ['an empty list', []],
  ])('refuses %s, and begins nothing', async (_, startPages) => {
    await sites.manager.addSite(siteConfig('court.example'));
    const started = sites.manager.startPagination('court.example', startPages as string[]);
    await expect(started).rejects.toMatchObject({ code: 'usage' });
    expect(await sites.manager.getPartialRun('court.example')).toBeUndefined();
  });

  it.each([
    ['a generator', () => LISTS.values()],
    ['a set', () => new Set(LISTS)],
    [
      'an asynchronous generator',
      async function* () {
        yield* LISTS;
      },
    ],
  ])('takes start pages from %s', async (_, give) => {
    await sites.manager.addSite(siteConfig('court.example'));
    const partial = await sites.manager.startPagination('court.example', give());
    expect([...partial.paginationStates.keys()]).toEqual(LISTS);
  });
});

describe('the status of an update', () => {
  const stateOf = async () => (await sites.manager.getPartialRun('court.example'))?.paginationStates.get(CIVIL);

  it('means what it means in the plan: completed is completed, all others are not', async () => {
    await start('court.example', [CIVIL]);
    for (const status of ['paginating', 'completed', 'failed', 'completed', 'pending'] as const) {
      await sites.manager.updatePaginationState(CIVIL, { status, collectedUrls: [item(1)] });
      expect((await stateOf())?.completed).toBe(status === 'completed');
    }
    await expect(sites.manager.commitPartialRun('court.example')).rejects.toThrow('Not all paginations completed');
    await sites.manager.updatePaginationState(CIVIL, { status: 'completed' });
    expect(await sites.manager.commitPartialRun('court.example')).toMatchObject({ items: 1 });
  });

  it.each<[string, object]>([
    ['an unknown status', { status: 'done' }],
    ['a status that contradicts completed', { status: 'failed', completed: true }],
    ['an unknown field', { collected: [item(1)] }],
    ['URLs that are none', { collectedUrls: [item(1), '/case/2'] }],
    ['URLs that are no list', { collectedUrls: item(1) }],
    ['a count that is none', { failureCount: -1 }],
    ['a time that is none', { failureHistory: [{ timestamp: 'now', proxy: '', error: 'x' }] }],
  ])('is refused with %s, and nothing changes', async (_, update) => {
    await start('court.example', [CIVIL]);
    await expect(sites.manager.updatePaginationState(CIVIL, update)).rejects.toMatchObject({ code: 'usage' });
    expect(await stateOf()).toEqual(untouched(CIVIL));
  });
});

describe('S3: completed', () => {
  it('means that the walk ran to its end, not that it found anything', async () => {
    await start('court.example', [CIVIL]);
    await sites.manager.updatePaginationState(CIVIL, { completed: true });
    const partial = await sites.manager.getPartialRun('court.example');
    expect(partial?.paginationStates.get(CIVIL)).toMatchObject({ completed: true, collectedUrls: [] });
  });
});

describe('S4: a commit is refused', () => {
  it('first of all when there is no partial run', async () => {
    await expect(sites.manager.commitPartialRun('court.example')).rejects.toMatchObject({
      code: 'no_partial_run',
      message: expect.stringMatching(/^No partial run to commit/),
    });
  });

  it('then when a completed start page has 0 URLs, also if another is not completed', async () => {
    await start('court.example', [CIVIL, CRIMINAL]);
    await sites.manager.updatePaginationState(CRIMINAL, { completed: true });
    await expect(sites.manager.commitPartialRun('court.example')).rejects.toMatchObject({
      code: 'empty_pagination',
      message: expect.stringMatching(/^Pagination returned 0 URLs - aborting entire run.*\/list\/criminal$/),
    });
  });

  it('then when a start page is not completed, whatever it has collected', async () => {
    await start('court.example', [CIVIL, CRIMINAL]);
    await sites.manager.updatePaginationState(CIVIL, { collectedUrls: [item(1)], completed: true });
    await sites.manager.updatePaginationState(CRIMINAL, { collectedUrls: [item(2)] });
    await expect(sites.manager.commitPartialRun('court.example')).rejects.toMatchObject({
      code: 'incomplete_pagination',
      message: expect.stringMatching(/^Not all paginations completed successfully.*\/list\/criminal/),
    });
  });
});

it('a start page with URLs that is not completed is not called one that was not begun', async () => {
  await start('court.example', [CIVIL, CRIMINAL]);
  await sites.manager.updatePaginationState(CIVIL, { collectedUrls: [item(1), item(2), item(3)] });
  await expect(sites.manager.commitPartialRun('court.example')).rejects.toThrow(
    `${CIVIL} (not completed, 3 URLs so far); ${CRIMINAL} (not begun)`,
  );
});

describe('S5: a good commit', () => {
  it('is a run with all its items in the order of the start pages, each once, with every start page it came from', async () => {
    await walkAll('court.example', [item(3), item(1)], [item(2), item(3)]);
    const run = await sites.manager.commitPartialRun('court.example');
    expect(run).toEqual({ id: run.id, siteId: 'court.example', items: 3 });
    await again();
    expect(await sites.ledger.sites.itemsOf(run.id)).toEqual([
      { url: item(3), startPages: [CIVIL, CRIMINAL] },
      { url: item(1), startPages: [CIVIL] },
      { url: item(2), startPages: [CRIMINAL] },
    ]);
    expect(await sites.ledger.run(run.id)).toMatchObject({ kind: 'site', name: 'court.example' });
    expect((await sites.ledger.summary(run.id)).requests).toMatchObject({ pending: 3, done: 0 });
  });

  it('knows two spellings of an address as one item', async () => {
    await walkAll('court.example', ['https://court.example/case/%7E1'], ['HTTPS://court.example:443/case/~1#top']);
    const run = await sites.manager.commitPartialRun('court.example');
    expect(await sites.ledger.sites.itemsOf(run.id)).toEqual([
      { url: 'https://court.example/case/~1', startPages: [CIVIL, CRIMINAL] },
    ]);
  });
});

describe('S6: the partial run', () => {
  it('is cleared by the commit, and the site can begin anew', async () => {
    await walkAll('court.example', [item(1)], [item(2)]);
    await sites.manager.commitPartialRun('court.example');
    expect(await sites.manager.getPartialRun('court.example')).toBeUndefined();
    await expect(sites.manager.commitPartialRun('court.example')).rejects.toThrow('No partial run to commit');
    const next = await start('court.example', [CIVIL]);
    expect(next.totalUrlsCollected).toBe(0);
  });

  it('stays when a check fails, and can be committed when what was wrong is mended', async () => {
    await walkAll('court.example', [item(1)], []);
    const before = await sites.manager.getPartialRun('court.example');
    await expect(sites.manager.commitPartialRun('court.example')).rejects.toThrow('0 URLs');
    await again();
    expect(await sites.manager.getPartialRun('court.example')).toEqual(before);
    expect(await sites.ledger.runs(10)).toEqual([]);
    await sites.manager.updatePaginationState(CRIMINAL, { collectedUrls: [item(2)] });
    await expect(sites.manager.commitPartialRun('court.example')).resolves.toMatchObject({ items: 2 });
  });
});

describe('S7: failures', () => {
  it('are kept with time, proxy without its password, and error', async () => {
    await start('court.example', [CIVIL]);
    const timestamp = new Date(clock.now());
    const proxy = 'http://me:s3cret@proxy.example:8080';
    const error = `tunnel through ${proxy} refused`;
    await sites.manager.updatePaginationState(CIVIL, {
      failureCount: 1,
      failureHistory: [{ timestamp, proxy, error }],
    });
    const state = (await sites.manager.getPartialRun('court.example'))?.paginationStates.get(CIVIL);
    expect(state).toMatchObject({ failureCount: 1, completed: false });
    expect(state?.failureHistory).toEqual([
      {
        timestamp,
        proxy: expect.stringMatching(/^http:\/\/proxy\.example:8080#[0-9a-f]{8}$/),
        error: expect.not.stringContaining('s3cret'),
      },
    ]);
  });

  it('are kept to the last hundred, and all are counted', async () => {
    await start('court.example', [CIVIL]);
    const timestamp = new Date(clock.now());
    const failureHistory = Array.from({ length: 130 }, (_, n) => ({ timestamp, proxy: '', error: `failure ${n}` }));
    await sites.manager.updatePaginationState(CIVIL, { failureCount: 130, failureHistory });
    const state = (await sites.manager.getPartialRun('court.example'))?.paginationStates.get(CIVIL);
    expect(state?.failureCount).toBe(130);
    expect(state?.failureHistory.map(({ error }) => error)).toEqual(
      Array.from({ length: 100 }, (_, n) => `failure ${n + 30}`),
    );
  });
});

const FAST = 'http://fast.example:3128';
const SLOW = 'http://slow.example:3128';
const HOME = 'http://home.example:7777';
const mixed = { strategy: 'datacenter-to-residential', datacenter: [FAST, SLOW], residential: [HOME] } as const;

describe('S8: the blocklist', () => {
  beforeEach(async () => {
    await sites.manager.addSite(siteConfig('court.example', mixed));
    await sites.manager.addSite(siteConfig('other.example', mixed));
  });

  it('is for each site by itself', async () => {
    await sites.manager.addProxyToBlocklist('court.example', FAST, 'refused');
    await again();
    expect(await sites.manager.getBlockedProxies('court.example')).toEqual([FAST]);
    expect(await sites.manager.getBlockedProxies('other.example')).toEqual([]);
  });

  it('takes datacenter proxies only', async () => {
    await sites.manager.addProxyToBlocklist('court.example', HOME, 'refused');
    await sites.manager.addProxyToBlocklist('court.example', 'http://never-heard-of.example:1', 'refused');
    expect(await sites.manager.getBlockedProxies('court.example')).toEqual([]);
  });

  it('counts a further failure, restarts the cooldown and keeps the last error', async () => {
    await sites.manager.addProxyToBlocklist('court.example', FAST, 'first');
    await clock.advance(20 * MINUTE_MS);
    await sites.manager.addProxyToBlocklist('court.example', FAST, 'second');
    await again();
    const [entry, ...others] = await sites.ledger.sites.blocked('court.example', 30 * MINUTE_MS, 'look');
    expect(entry).toEqual({ proxy: FAST, failedAt: clock.now(), failureCount: 2, lastError: 'second' });
    expect(others).toEqual([]);
    await clock.advance(29 * MINUTE_MS);
    expect(await sites.manager.getBlockedProxies('court.example')).toEqual([FAST]);
  });

  it('has no effect for a site that is not known, and is empty for it', async () => {
    await sites.manager.addProxyToBlocklist('unknown.example', FAST, 'refused');
    expect(await sites.manager.getBlockedProxies('unknown.example')).toEqual([]);
  });

  it('knows a proxy by its user too, since one gateway may be many exits, and tells none of it', async () => {
    const exits = ['http://exit-a:s3cret@gate.example:1', 'http://exit-b:s3cret@gate.example:1'];
    await sites.manager.addSite(siteConfig('gate.example', { strategy: 'datacenter', datacenter: exits }));
    await sites.manager.addProxyToBlocklist('gate.example', exits[0] ?? '', `${exits[0]} is down`);
    const [blocked = '', ...others] = await sites.manager.getBlockedProxies('gate.example');
    expect(others).toEqual([]);
    expect(blocked).not.toMatch(/exit-a|s3cret/);
    await sites.manager.addProxyToBlocklist('gate.example', blocked, 'by its name');
    expect(await sites.manager.getBlockedProxies('gate.example')).toEqual([blocked]);
    const everything = JSON.stringify([
      await sites.manager.getSiteConfigs(),
      await sites.ledger.sites.blocked('gate.example', 30 * MINUTE_MS, 'look'),
    ]);
    expect(everything).not.toMatch(/exit-a|s3cret/);
  });
});

describe('S9: the cooldown', () => {
  it.each([
    ['is 30 minutes when the strategy names none', {}, 30],
    ['is what the strategy of the domain says', { cooldownMinutes: 5 }, 5],
  ])('%s, and at exactly that moment the entry is gone, on read', async (_, given, minutes) => {
    await sites.manager.addSite(siteConfig('court.example', { ...mixed, ...given }));
    await sites.manager.addProxyToBlocklist('court.example', FAST, 'refused');
    await clock.advance(minutes * MINUTE_MS - 1);
    expect(await sites.manager.getBlockedProxies('court.example')).toEqual([FAST]);
    await clock.advance(1);
    expect(await sites.manager.getBlockedProxies('court.example')).toEqual([]);
    // Gone, not hidden: a longer cooldown does not bring it back.
    expect(await sites.ledger.sites.blocked('court.example', 24 * 60 * MINUTE_MS, 'look')).toEqual([]);
    await sites.manager.addProxyToBlocklist('court.example', FAST, 'refused again');
    const [entry] = await sites.ledger.sites.blocked('court.example', MINUTE_MS, 'look');
    expect(entry?.failureCount).toBe(1);
  });
});

describe('S10: getSiteConfigs', () => {
  beforeEach(async () => {
    await sites.manager.addSite(siteConfig('court.example', mixed));
    await sites.manager.addSite(siteConfig('quiet.example'));
    await sites.manager.addProxyToBlocklist('court.example', SLOW, 'refused');
  });

  it('gives the blocked proxies of every site, possibly none', async () => {
    expect(await sites.manager.getSiteConfigs()).toEqual([
      { ...siteConfig('court.example', mixed), blockedProxies: [SLOW] },
      { ...siteConfig('quiet.example'), blockedProxies: [] },
    ]);
  });

  it('with false has no such field', async () => {
    const configs = await sites.manager.getSiteConfigs(false);
    expect(configs).toEqual([siteConfig('court.example', mixed), siteConfig('quiet.example')]);
    expect(configs.filter((config) => 'blockedProxies' in config)).toEqual([]);
  });

  it('gives copies: nobody can change the originals through them', async () => {
    const original = await sites.manager.getSiteConfigs();
    const [court] = (await sites.manager.getSiteConfigs()) as unknown as {
      domain: string;
      startPages: string[];
      proxies: { datacenter: string[] };
      blockedProxies: string[];
    }[];
    court?.startPages.push('https://evil.example');
    court?.proxies.datacenter.splice(0);
    court?.blockedProxies.splice(0);
    Object.assign(court ?? {}, { domain: 'evil.example' });
    expect(await sites.manager.getSiteConfigs()).toEqual(original);
  });
});

function untouched(startPageUrl: string) {
  return { startPageUrl, collectedUrls: [], failureCount: 0, failureHistory: [], completed: false };
}

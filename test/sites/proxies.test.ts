// S11 and S12: what really leaves through which proxy. Real HTTP proxies, a real court, a real ledger; only time is ours.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import type { SettingsInput } from '../../src/engine/settings.ts';
import type { WalkEnd } from '../../src/engine/walk-site.ts';
import { proxyName } from '../../src/fetch/proxy/proxy-name.ts';
import { parseProxy } from '../../src/fetch/proxy/proxy-server.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { ProxyBlocklist } from '../../src/sites/proxy-blocklist.ts';
import { ProxyDistributor } from '../../src/sites/proxy-distributor.ts';
import { poolOf } from '../../src/sites/proxy-pool.ts';
import type { ProxyStrategy } from '../../src/sites/proxy-strategy.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, startCurlew } from '../fixtures/curlew-process.ts';
import { flyTime } from '../fixtures/fly-time.ts';
import { type HttpProxy, httpProxy } from '../fixtures/http-proxy.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { testPipeline } from '../fixtures/test-pipeline.ts';
import { courtSite, pages, walkCourt } from './court-site.ts';
import { openSites, siteConfig } from './sites-in-ledger.ts';

const MINUTE_MS = 60_000;
const scratch = scratchDirectory();
let clock: FakeClock;
let court: RunningCourt;

beforeEach(async () => {
  clock = new FakeClock();
  court = closing(await startCourt({ lists: [{ name: 'all', cases: pages(1, 240) }] }));
});

async function startProxies(count: number): Promise<HttpProxy[]> {
  return Promise.all(Array.from({ length: count }, async () => closing(await httpProxy())));
}

const urlsOf = (proxies: readonly HttpProxy[]) => proxies.map(({ url }) => url);

const isPage = (target: string) => target.includes('://');

/** How often each proxy was asked for a way. A tunnel that stands is used again without asking. */
const asked = (proxies: readonly HttpProxy[]) =>
  proxies.map(({ targets }) => targets.filter((target) => !isPage(target)).length);

/** How often each was asked for a page itself, as a proxy is that opens no tunnel to a port of plain http. */
const askedForPage = (proxies: readonly HttpProxy[]) => proxies.map(({ targets }) => targets.filter(isPage).length);

function siteThrough(proxies: ProxyStrategy, domain = 'court.example') {
  return courtSite({ domain, startPages: ['/list/all'], proxies });
}

/** Walks the 12 pages of the list, with hours in a moment. */
function walk(
  proxies: ProxyStrategy,
  domain?: string,
  onTick?: () => void,
  settings: SettingsInput = {},
): Promise<WalkEnd> {
  const handle = walkCourt(court, scratch('data'), siteThrough(proxies, domain), { ...settings, world: { clock } });
  return flyTime(clock, handle.end, onTick);
}

async function blocked(domain: string): Promise<string[]> {
  const { manager, ledger } = await openSites(scratch('data'), clock);
  const names = await manager.getBlockedProxies(domain);
  await ledger.close();
  return names;
}

const COMMITTED = { kind: 'committed', run: { items: 240 } };

describe('S11: three proxies, one of which refuses', () => {
  it('it is left out for this site only, and is back after its cooldown', async () => {
    const all = await startProxies(3);
    const [, refusing] = all;
    const datacenter = urlsOf(all);
    refusing?.refuseWith(403);
    expect(await walk({ strategy: 'datacenter', datacenter })).toMatchObject(COMMITTED);
    expect(court.log.entries.filter(({ path }) => path.startsWith('/list/'))).toHaveLength(12);
    // All took turns over 13 requests; the one that refused was asked once and never again.
    expect(asked(all)).toEqual([1, 1, 1]);
    expect(askedForPage(all)).toEqual([0, 1, 0]);
    expect(await blocked('court.example')).toEqual([refusing?.url]);

    await clock.advance(20 * MINUTE_MS);
    expect(await walk({ strategy: 'datacenter', datacenter })).toMatchObject(COMMITTED);
    expect(asked(all)).toEqual([2, 1, 2]);

    expect(await blocked('other.example')).toEqual([]);
    expect(await walk({ strategy: 'datacenter', datacenter }, 'other.example')).toMatchObject(COMMITTED);
    expect(asked(all)).toEqual([3, 2, 3]);
    expect(await blocked('other.example')).toEqual([refusing?.url]);

    await clock.advance(10 * MINUTE_MS);
    expect(await blocked('court.example')).toEqual([]);
    refusing?.refuseWith(undefined);
    expect(await walk({ strategy: 'datacenter', datacenter })).toMatchObject(COMMITTED);
    expect(asked(all)).toEqual([4, 3, 4]);
    expect(await blocked('court.example')).toEqual([]);
  });

  it('the failure is kept with the name of the proxy', async () => {
    const all = await startProxies(2);
    all[0]?.refuseWith(503);
    court.faults.set({ kind: 'status', status: 404, path: '/list/all?page=2' });
    await expect(walk({ strategy: 'datacenter', datacenter: urlsOf(all) })).rejects.toThrow('404 Not Found');
    const { manager } = await openSites(scratch('data'), clock);
    const [state] = (await manager.getPartialRun('court.example'))?.paginationStates.values() ?? [];
    expect(state?.failureHistory).toMatchObject([
      { proxy: all[0]?.url, error: expect.stringContaining('503') },
      { proxy: all[1]?.url, error: '404 Not Found' },
    ]);
  });

  it('walk, blocklist, config and status call a proxy with a user by one name, which who has the user can make', async () => {
    const credentials = { user: 'exit-a', password: 's3cret' };
    const [refusing, good] = [closing(await httpProxy({ credentials })), closing(await httpProxy())];
    refusing.refuseWith(403);
    court.faults.set({ kind: 'status', status: 404, path: '/list/all?page=2' });
    const strategy = { strategy: 'datacenter', datacenter: [refusing.url, good.url] } as const;
    await expect(walk(strategy)).rejects.toThrow('404 Not Found');
    const { manager } = await openSites(scratch('data'), clock);
    const name = proxyName(refusing.url);
    expect(name).toMatch(/^http:\/\/127\.0\.0\.1:\d+#[0-9a-f]{8}$/);
    const [state] = (await manager.getPartialRun('court.example'))?.paginationStates.values() ?? [];
    expect(state?.failureHistory[0]?.proxy).toBe(name);
    expect(await manager.getSiteConfigs()).toMatchObject([
      { proxies: { datacenter: [name, good.url] }, blockedProxies: [name] },
    ]);
    const { stdout } = await curlew(['sites', 'status', '--data', scratch('data'), '--json']);
    const [page] = JSON.parse(stdout).startPages;
    expect(page.failureHistory).toEqual([
      { timestamp: expect.stringMatching(/^\d{4}-.*Z$/), proxy: name, error: expect.stringContaining('403') },
      { timestamp: expect.stringMatching(/^\d{4}-.*Z$/), proxy: good.url, error: '404 Not Found' },
    ]);
    expect(stdout).not.toMatch(/exit-a|s3cret/);
  });
});

describe('S12: strategies', () => {
  it('none goes directly', async () => {
    const all = await startProxies(1);
    expect(await walk({ strategy: 'none' })).toMatchObject(COMMITTED);
    expect(asked(all)).toEqual([0]);
  });

  it('datacenter-to-residential falls over when all datacenter ones are blocked, and comes back', async () => {
    const datacenter = await startProxies(2);
    const residential = await startProxies(1);
    const strategy = {
      strategy: 'datacenter-to-residential',
      datacenter: urlsOf(datacenter),
      residential: urlsOf(residential),
      cooldownMinutes: 10,
    } as const;
    for (const proxy of datacenter) proxy.refuseWith(403);
    expect(await walk(strategy)).toMatchObject(COMMITTED);
    expect([asked(datacenter), asked(residential)]).toEqual([[1, 1], [1]]);
    expect(await blocked('court.example')).toHaveLength(2);
    for (const proxy of datacenter) proxy.refuseWith(undefined);
    await clock.advance(10 * MINUTE_MS);
    expect(await walk(strategy)).toMatchObject(COMMITTED);
    expect([asked(datacenter), asked(residential)]).toEqual([[2, 2], [1]]);
  });

  it('residential ones are never blocked: one that refuses is tried again', async () => {
    const residential = await startProxies(2);
    residential[0]?.refuseWith(403);
    const site = siteThrough({ strategy: 'residential-rotating', residential: urlsOf(residential) });
    // A page a second, so that it is back before the walk has ended.
    const handle = walkCourt(court, scratch('data'), site, { rate: 1, world: { clock } });
    expect(await flyTime(clock, handle.end)).toMatchObject(COMMITTED);
    expect(asked(residential)[0]).toBeGreaterThan(1);
    expect(await blocked('court.example')).toEqual([]);
  });

  it('residential ones that all fail are not asked without end', async () => {
    const residential = await startProxies(3);
    for (const proxy of residential) proxy.refuseWith(403);
    const begun = clock.now();
    const mend = () => {
      if (clock.now() - begun >= 10 * MINUTE_MS) for (const proxy of residential) proxy.refuseWith(undefined);
    };
    const strategy = { strategy: 'residential-rotating', residential: urlsOf(residential) } as const;
    expect(await walk(strategy, undefined, mend, { patienceMs: 'off' })).toMatchObject(COMMITTED);
    // After 2, 4, 8 and 16 seconds, then once in half a minute each.
    for (const times of asked(residential)) expect(times).toBeLessThanOrEqual(25);
    for (const times of askedForPage(residential)) expect(times).toBeLessThanOrEqual(1);
  });

  it('residential-stable stays with one, and leaves it when it fails', async () => {
    const residential = await startProxies(3);
    const strategy = { strategy: 'residential-stable', residential: urlsOf(residential) } as const;
    expect(await walk(strategy)).toMatchObject(COMMITTED);
    expect(asked(residential)).toEqual([1, 0, 0]);
    residential[0]?.refuseWith(403);
    expect(await walk(strategy)).toMatchObject(COMMITTED);
    expect(asked(residential)).toEqual([2, 1, 0]);
  });
});

describe('S12: all blocked', () => {
  it('the site waits for the first cooldown to end, and does not spin', async () => {
    const all = await startProxies(2);
    for (const proxy of all) proxy.refuseWith(403);
    const begun = clock.now();
    let askedWaiting: readonly number[] = [];
    const mend = () => {
      if (clock.now() - begun < 29 * MINUTE_MS || askedWaiting.length > 0) return;
      askedWaiting = asked(all);
      for (const proxy of all) proxy.refuseWith(undefined);
    };
    expect(await walk({ strategy: 'datacenter', datacenter: urlsOf(all) }, undefined, mend)).toMatchObject(COMMITTED);
    expect(clock.now() - begun).toBeGreaterThanOrEqual(30 * MINUTE_MS);
    expect(clock.now() - begun).toBeLessThan(31 * MINUTE_MS);
    expect(askedWaiting).toEqual([1, 1]);
    expect(asked(all)[0]).toBe(2);
  });

  it('and waiting, it can be stopped', async () => {
    const [proxy] = await startProxies(1);
    proxy?.refuseWith(403);
    const site = siteThrough({ strategy: 'datacenter', datacenter: [proxy?.url ?? ''] });
    const handle = walkCourt(court, scratch('data'), site, { world: { clock } });
    const end = flyTime(clock, handle.end, () => clock.now() > Date.UTC(2026, 0, 1, 0, 5) && handle.stop());
    expect(await end).toEqual({ kind: 'stopped' });
    expect(asked(proxy === undefined ? [] : [proxy])).toEqual([1]);
  });
});

describe('a site that does not answer', () => {
  const [A, B, C] = ['http://a.example:1', 'http://b.example:1', 'http://c.example:1'];
  const through = (url = '') => parseProxy(url);
  const silence = { reason: 'reset', failure: 'reset_before_answer' } as const;

  async function distributor() {
    const { manager, ledger } = await openSites(scratch('data'), clock);
    const strategy = { strategy: 'datacenter', datacenter: [A ?? '', B ?? '', C ?? ''] } as const;
    await manager.addSite(siteConfig('court.example', strategy));
    const pool = poolOf(strategy) ?? expect.fail();
    const blocklist = new ProxyBlocklist(ledger.sites);
    return { manager, given: new ProxyDistributor({ domain: 'court.example', pool, blocklist, clock }) };
  }

  it('through one proxy, while it answers through others, has banned that one', async () => {
    const { manager, given } = await distributor();
    given.learn(through(A), undefined);
    given.learn(through(B), silence);
    expect((await given.choose())?.host).toBe('a.example');
    expect((await given.choose())?.host).toBe('c.example');
    expect(await manager.getBlockedProxies('court.example')).toEqual([B]);
  });

  it('through any proxy is down: never are all of them blocked for that', async () => {
    const { manager, given } = await distributor();
    given.learn(through(A), undefined);
    for (const proxy of [A, B, C, A, B, C]) given.learn(through(proxy), silence);
    expect(await given.choose()).toBeDefined();
    expect(await manager.getBlockedProxies('court.example')).not.toContain(A);
  });
});

it('a proxy that fails for robots.txt is blocked, and not those of the requests that wait for it', async () => {
  const all = await startProxies(3);
  const latest = all.at(-1);
  latest?.refuseWith(403);
  const strategy = { strategy: 'datacenter', datacenter: urlsOf(all) } as const;
  const { manager, ledger } = await openSites(scratch('data'), clock);
  await manager.addSite(siteConfig('court.example', strategy));
  const pool = poolOf(strategy) ?? expect.fail();
  const blocklist = new ProxyBlocklist(ledger.sites);
  const assigner = new ProxyDistributor({ domain: 'court.example', pool, blocklist, clock });
  const pipeline = await testPipeline({}, { clock, assigner });
  // At once: the way of the latest, which is the one that refuses, is taken to ask for robots.txt for all three.
  const first = await Promise.all([1, 2, 3].map((id) => pipeline.fetch(`${court.url}/case/${id}`)));
  expect(first.map(({ kind }) => kind)).toContain('site_wide');
  const then = await Promise.all(pages(1, 6).map((id) => pipeline.fetch(`${court.url}/case/${id}`)));
  expect(then.map(({ kind }) => kind)).toEqual(Array(6).fill('ok'));
  expect(await manager.getBlockedProxies('court.example')).toEqual([latest?.url]);
});

describe('a proxy is chosen when the request leaves', () => {
  async function distributed(datacenter: readonly string[]) {
    const strategy = { strategy: 'datacenter', datacenter } as const;
    const { manager, ledger } = await openSites(scratch('data'), clock);
    await manager.addSite(siteConfig('court.example', strategy));
    const blocklist = new ProxyBlocklist(ledger.sites);
    const pool = poolOf(strategy) ?? expect.fail();
    return { manager, assigner: new ProxyDistributor({ domain: 'court.example', pool, blocklist, clock }) };
  }

  it('and not before it waits for its turn: one that failed meanwhile is not asked again', async () => {
    const all = await startProxies(2);
    all[0]?.refuseWith(403);
    const { assigner } = await distributed(urlsOf(all));
    const pipeline = await testPipeline({ rate: 1, robots: 'off' }, { clock, assigner });
    const fetching = pages(1, 8).map((id) => pipeline.fetch(`${court.url}/case/${id}`));
    const outcomes = await flyTime(clock, Promise.all(fetching));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['site_wide', ...Array(7).fill('ok')]);
    expect(asked(all)[0]).toBe(1);
  });

  it('also for a redirect: the proxy is kept, unless it rests when the next one leaves', async () => {
    const all = await startProxies(2);
    const { manager, assigner } = await distributed(urlsOf(all));
    court.faults.set({ kind: 'status', status: 302, path: '/case/1', headers: { location: '/case/20' }, count: 2 });
    const pipeline = await testPipeline({ rate: 1, robots: 'off' }, { clock, assigner });
    expect(await flyTime(clock, pipeline.fetch(`${court.url}/case/1`))).toMatchObject({
      kind: 'ok',
      proxy: all[0]?.url,
    });
    // The next is the other's; it is blocked between the redirect and the page.
    const second = pipeline.fetch(`${court.url}/case/1`);
    const isSent = court.log.arrival(({ path, n }) => path === '/case/1' && n > 2);
    await clock.advance(1_500);
    await isSent;
    await manager.addProxyToBlocklist('court.example', all[1]?.url ?? '', 'banned');
    await flyTime(clock, second);
    expect(await second).toMatchObject({ kind: 'ok', proxy: all[0]?.url });
  });

  it('also for pages in the browser', async () => {
    const all = await startProxies(2);
    all[0]?.refuseWith(403);
    const { manager, ledger } = await openSites(scratch('data'), systemClock);
    const strategy = { strategy: 'datacenter', datacenter: urlsOf(all) } as const;
    await manager.addSite(siteConfig('court.example', strategy));
    const pool = poolOf(strategy) ?? expect.fail();
    const blocklist = new ProxyBlocklist(ledger.sites);
    const assigner = new ProxyDistributor({ domain: 'court.example', pool, blocklist, clock: systemClock });
    const pipeline = await testPipeline({ rate: 5, robots: 'off' }, { assigner });
    const outcomes = await Promise.all(
      pages(1, 4).map((id) => pipeline.fetch(`${court.url}/case/${id}`, { via: 'browser' })),
    );
    expect(outcomes.map(({ kind }) => kind).toSorted()).toEqual(['ok', 'ok', 'ok', 'site_wide']);
    for (const { kind, proxy } of outcomes) expect(proxy).toBe(all[kind === 'ok' ? 1 : 0]?.url);
    expect(new Set(all[0]?.targets)).toHaveLength(1);
  });
});

describe('one dead residential proxy of two', () => {
  const dead = async (how: string): Promise<string> => {
    const proxy = await httpProxy();
    if (how === 'hangs up') proxy.hangUp(true);
    if (how === 'refuses') proxy.refuseWith(503);
    if (how === 'is gone') await proxy.close();
    else closing(proxy);
    return proxy.url;
  };
  const strategies = ['residential-rotating', 'residential-stable'] as const;
  const cases = strategies.flatMap((strategy) =>
    ['hangs up', 'refuses', 'is gone'].map((how) => [strategy, how] as const),
  );

  it.each(cases)('does not stall a run: %s, it %s', async (strategy, how) => {
    const good = closing(await httpProxy());
    await writeFile(scratch('site.ts'), siteFile({ strategy, residential: [await dead(how), good.url] }));
    const args = [
      '--base-url',
      court.url,
      '--allow-host',
      new URL(court.url).host,
      '--rate',
      'off',
      '--concurrency',
      '8',
    ];
    const ran = await curlew(['sites', 'run', scratch('site.ts'), ...args, '--data', scratch('data'), '--json']);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('"done":240') });
  });
});

describe('all proxies of a site', () => {
  it('that rest are told of, with when the first is back, by the walk and by status', async () => {
    const [one, two] = await startProxies(2);
    for (const proxy of [one, two]) proxy?.refuseWith(403);
    const proxies = { strategy: 'datacenter', datacenter: [one?.url, two?.url] };
    await writeFile(scratch('site.ts'), siteFile(proxies));
    const args = ['--base-url', court.url, '--allow-host', new URL(court.url).host, '--rate', 'off'];
    const walking = startCurlew(['sites', 'run', scratch('site.ts'), ...args, '--data', scratch('data')]);
    await walking.says('all proxies rest');
    const status = await curlew(['sites', 'status', '--data', scratch('data')]);
    expect(status.stdout).toMatch(/waiting for 127\.0\.0\.1:\d+ until \d\d:\d\d:\d\d, all proxies rest/);
    walking.kill('SIGINT');
    expect(await walking.ended).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(/waiting for 127\.0\.0\.1:\d+ until \d\d:\d\d:\d\d, all proxies rest/),
    });
  });
});

describe('passwords of proxies', () => {
  const credentials = { user: 'clerk-42', password: 'Zx9-correct-horse' };
  const encoded = Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64');

  it('are in no output, no table, no log, no file', async () => {
    const good = closing(await httpProxy({ credentials }));
    const refusing = closing(await httpProxy({ credentials }));
    refusing.refuseWith(403);
    const stranger = closing(await httpProxy({ credentials: { ...credentials, password: 'another' } }));
    const wrong = stranger.url.replace('another', credentials.password);
    const proxies = { strategy: 'datacenter', datacenter: [refusing.url, wrong, good.url] };
    await writeFile(scratch('site.ts'), siteFile(proxies));
    const fetching = ['--base-url', court.url, '--allow-host', new URL(court.url).host, '--rate', 'off'];
    const data = ['--data', scratch('data')];
    const ran = await curlew(['sites', 'run', scratch('site.ts'), ...fetching, ...data, '--json']);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('"done":240') });
    const shown = await curlew(['sites', 'proxies', ...data]);
    const listed = await curlew(['sites', 'proxies', ...data, '--json']);
    expect(shown.stdout).toMatch(/court\.example +http:\/\/127\.0\.0\.1:\d+#[0-9a-f]{8} +1 .* min .* s +proxy_refused/);
    expect(
      listed.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { site: 'court.example', proxy: expect.stringContaining(`:${refusing.port}#`), failureCount: 1 },
      { site: 'court.example', proxy: expect.stringContaining(`:${stranger.port}#`), failureCount: 1 },
    ]);
    for (const secret of [credentials.password, credentials.user, encoded]) {
      for (const { stdout, stderr } of [ran, shown, listed]) expect(stdout + stderr).not.toContain(secret);
      expect(await holding(scratch('data'), secret)).toEqual([]);
    }
    expect(await holding(scratch('data'), `127.0.0.1:${refusing.port}`)).not.toEqual([]);
  });
});

/** Every file under a directory that holds this text. */
async function holding(directory: string, text: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const found = await Promise.all(files.map(async (path) => ((await readFile(path)).includes(text) ? [path] : [])));
  return found.flat();
}

function siteFile(proxies: object): string {
  return `
    import { defineSite, record, Scraper } from 'curlew';
    import { z } from 'zod';
    class Court extends Scraper {
      baseUrl = 'http://127.0.0.1:8017';
      *parseCase(page) { yield record('title', z.string(), page.text('h1')); }
    }
    export default defineSite({
      domain: 'court.example',
      startPages: ['/list/all'],
      list: { items: 'table.cases a', next: 'a.next', total: '.total' },
      scraper: Court,
      itemStep: 'parseCase',
      proxies: ${JSON.stringify(proxies)},
    });`;
}

import { Agent, request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../src/platform/fake-clock.ts';
import { rawGet } from './raw-get.ts';
import { htmlReply } from './reply.ts';
import type { LogEntry } from './request-log.ts';
import { type Site, type SiteOptions, startSite } from './site.ts';

let site: Site | undefined;
afterEach(async () => {
  await site?.close();
});

async function start(options: SiteOptions = {}): Promise<Site> {
  site = await startSite(({ pathname }) => {
    if (pathname === '/broken') throw new Error('no such luck');
    return htmlReply(pathname === '/missing' ? 404 : 200, pathname);
  }, options);
  return site;
}

async function get(url: string): Promise<{ status: number; text: string }> {
  const { statusCode, body } = await request(url);
  return { status: statusCode, text: await body.text() };
}

async function control(url: string, method: 'POST' | 'DELETE', body?: unknown): Promise<unknown> {
  const answer = await request(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  return answer.body.json();
}

describe('the log', () => {
  it('has every request in order of arrival, with its status and headers', async () => {
    const { url, log } = await start();
    await request(`${url}/a?q=1`, { headers: { 'x-probe': 'yes' } }).then(({ body }) => body.dump());
    await get(`${url}/missing`);
    expect(log.entries.map(({ n, method, path, status, fault }) => ({ n, method, path, status, fault }))).toEqual([
      { n: 1, method: 'GET', path: '/a?q=1', status: 200, fault: null },
      { n: 2, method: 'GET', path: '/missing', status: 404, fault: null },
    ]);
    expect(log.entries[0]?.headers['x-probe']).toBe('yes');
    expect(log.since(1).map(({ path }) => path)).toEqual(['/missing']);
  });

  it('has arrival and end on the clock, and how many were in flight', async () => {
    const clock = new FakeClock();
    const { url, log } = await start({ clock, latencyMs: 50 });
    const started = clock.now();
    const first = get(`${url}/1`);
    await log.arrival(({ path }) => path === '/1');
    await clock.advance(10);
    const second = get(`${url}/2`);
    await log.arrival(({ path }) => path === '/2');
    await clock.advance(40);
    await first;
    await clock.advance(10);
    await second;
    await Promise.all(log.entries.map(finished));
    expect(log.entries).toMatchObject([
      { path: '/1', wallTime: started, arrivedAt: 0, finishedAt: 50, inFlight: 1 },
      { path: '/2', wallTime: started + 10, arrivedAt: 10, finishedAt: 60, inFlight: 2 },
    ]);
    expect(site?.stats()).toMatchObject({ requests: 2, inFlight: 0, peakInFlight: 2, statuses: { 200: 2 } });
  });

  it('has the body that was posted', async () => {
    const { url, log } = await start();
    await request(`${url}/search`, { method: 'POST', body: 'name=O%27Hara' }).then(({ body }) => body.dump());
    await get(`${url}/`);
    expect(log.entries.map(({ method, body }) => [method, body])).toEqual([
      ['POST', 'name=O%27Hara'],
      ['GET', null],
    ]);
  });

  it('names the fault that struck, and no status when nothing was sent', async () => {
    const { url, log, faults } = await start();
    faults.set({ kind: 'reset', count: 1 });
    await rawGet(url);
    await get(url);
    expect(log.entries[0]).toMatchObject({ fault: 'reset', status: null });
    expect(log.entries[1]).toMatchObject({ fault: null, status: 200 });
  });

  it('stays empty when it is switched off, and the counts go on', async () => {
    const running = await start({ log: false });
    await get(running.url);
    expect(running.log.entries).toEqual([]);
    expect(running.stats().requests).toBe(1);
  });
});

describe('random latency', () => {
  it('lies within its bounds and follows from the seed', async () => {
    const waits = async (seed: number) => {
      const clock = new FakeClock();
      const { url, log } = await start({ clock, seed, latencyMs: [5, 40] });
      for (let n = 1; n <= 5; n++) {
        const answer = get(`${url}/${n}`);
        await log.arrival(({ path }) => path === `/${n}`);
        await clock.advanceToNext();
        await answer;
      }
      await Promise.all(log.entries.map(finished));
      await site?.close();
      return log.entries.map(({ arrivedAt, finishedAt }) => (finishedAt ?? 0) - arrivedAt);
    };
    const first = await waits(7);
    expect(first.every((ms) => ms >= 5 && ms <= 40)).toBe(true);
    expect(new Set(first).size).toBe(5);
    expect(await waits(7)).toEqual(first);
    expect(await waits(8)).not.toEqual(first);
  });
});

describe('the control endpoint', () => {
  it.each(['url', 'controlUrl'] as const)('sets, lists and clears faults at %s', async (where) => {
    const running = await start();
    const endpoint = `${running[where]}/__sim/faults`;
    const fault = { kind: 'status', status: 503, pattern: 'case' };
    expect(await control(endpoint, 'POST', [fault, { kind: 'reset', path: '/x', count: 2 }])).toEqual({ ids: [1, 2] });
    expect((await get(`${running.url}/case/1`)).status).toBe(503);
    expect(JSON.parse((await get(endpoint)).text)).toEqual([
      { id: 1, ...fault },
      { id: 2, kind: 'reset', path: '/x', count: 2 },
    ]);
    expect(await control(`${endpoint}?id=1`, 'DELETE')).toEqual([{ id: 2, kind: 'reset', path: '/x', count: 2 }]);
    expect((await get(`${running.url}/case/1`)).status).toBe(200);
    expect(await control(endpoint, 'DELETE')).toEqual([]);
  });

  it('neither appears in the log nor meets faults or latency', async () => {
    const clock = new FakeClock();
    const { url, log, faults } = await start({ clock, latencyMs: 1_000 });
    faults.set({ kind: 'reset' });
    expect((await get(`${url}/__sim/stats`)).status).toBe(200);
    expect(log.entries).toEqual([]);
  });

  it('gives the log as JSON lines, from any entry on', async () => {
    const { url } = await start();
    for (const path of ['/1', '/2', '/3']) await get(url + path);
    const { text } = await get(`${url}/__sim/log?since=1`);
    const lines: { readonly n: number; readonly path: string }[] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ n, path }) => [n, path])).toEqual([
      [2, '/2'],
      [3, '/3'],
    ]);
  });

  it('sets the latency', async () => {
    const clock = new FakeClock();
    const { url, controlUrl } = await start({ clock });
    await control(`${controlUrl}/__sim/latency`, 'POST', { latencyMs: [30, 30] });
    const answer = get(url);
    while (clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    await clock.advance(30);
    expect((await answer).status).toBe(200);
  });

  it('refuses what it does not understand, and says why', async () => {
    const { controlUrl } = await start();
    const faults = await request(`${controlUrl}/__sim/faults`, { method: 'POST', body: '{"kind":"boom"}' });
    const latency = await request(`${controlUrl}/__sim/latency`, { method: 'POST', body: '{"latencyMs":-1}' });
    expect([faults.statusCode, latency.statusCode]).toEqual([400, 400]);
    expect(await faults.body.text()).toContain('kind should be one of');
    expect(await latency.body.text()).toContain('Not a latency');
    expect((await get(`${controlUrl}/__sim/nothing`)).status).toBe(404);
  });
});

describe('an answer that is held', () => {
  it('comes when that is over, while others come at once', async () => {
    const { url, log, faults } = await start();
    const fault = faults.set({ kind: 'hold', path: '/held' });
    const held = get(`${url}/held`);
    await log.arrival(({ path }) => path === '/held');
    expect((await get(`${url}/other`)).text).toBe('/other');
    expect(log.entries[0]).toMatchObject({ path: '/held', fault: 'hold', status: null, finishedAt: null });
    await faults.clear(fault);
    expect(await held).toEqual({ status: 200, text: '/held' });
  });

  it('is none when nobody waits for it any more', async () => {
    const { url, log, faults } = await start();
    const fault = faults.set({ kind: 'hold' });
    const impatient = new AbortController();
    const given = expect(request(url, { signal: impatient.signal })).rejects.toThrow();
    const entry = await log.arrival(() => true);
    impatient.abort();
    await given;
    await finished(entry);
    await faults.clear(fault);
    await get(`${url}/next`);
    expect(log.entries).toMatchObject([{ status: null }, { status: 200 }]);
    expect(site?.stats().statuses).toEqual({ 200: 1 });
  });

  it('comes when the site closes', async () => {
    const running = await start();
    running.faults.set({ kind: 'hold' });
    const held = get(running.url);
    await running.log.arrival(() => true);
    await running.close();
    expect(await held).toEqual({ status: 200, text: '/' });
  });
});

describe('an outage', () => {
  it('refuses connections and comes back on the same port when its time is over', async () => {
    const clock = new FakeClock();
    const { url, controlUrl, faults } = await start({ clock });
    expect((await get(url)).status).toBe(200);
    faults.set({ kind: 'down', how: 'refuse', forMs: 7_200_000 });
    expect((await rawGet(url)).end).toBe('ECONNREFUSED');
    expect(JSON.parse((await get(`${controlUrl}/__sim/faults`)).text)).toMatchObject([{ kind: 'down' }]);
    await clock.advance(7_200_000);
    expect((await get(url)).status).toBe(200);
  });

  it('resets each connection as it comes, counts it, and can be cleared from another process', async () => {
    const running = await start();
    running.faults.set({ kind: 'down', how: 'reset' });
    const ends = [(await rawGet(running.url)).end, (await rawGet(running.url)).end];
    expect(ends).toEqual(['ECONNRESET', 'ECONNRESET']);
    expect(running.stats()).toMatchObject({ requests: 0, connectionsReset: 2 });
    await control(`${running.controlUrl}/__sim/faults`, 'DELETE');
    expect((await get(running.url)).status).toBe(200);
  });

  it.each(['reset', 'refuse'] as const)('cuts answers that are under way (%s)', async (how) => {
    const { url, log, faults } = await start({ clock: new FakeClock(), latencyMs: 1_000 });
    const answer = rawGet(url);
    await log.arrival(() => true);
    faults.set({ kind: 'down', how });
    expect((await answer).head).toBe('');
  });

  it('does not bring a closed site back', async () => {
    const clock = new FakeClock();
    const running = await start({ clock });
    running.faults.set({ kind: 'down', how: 'refuse', forMs: 1_000 });
    await running.close();
    await clock.advance(2_000);
    expect((await rawGet(running.url)).end).toBe('ECONNREFUSED');
  });
});

describe('closing', () => {
  it('answers what is under way without waiting for its latency', async () => {
    const running = await start({ clock: new FakeClock(), latencyMs: 60_000 });
    const agent = new Agent();
    const answer = request(`${running.url}/late`, { dispatcher: agent });
    await running.log.arrival(() => true);
    await running.close();
    const { statusCode, headers, body } = await answer;
    expect([statusCode, headers.connection, await body.text()]).toEqual([200, 'close', '/late']);
    await agent.close();
  });

  it('twice is fine', async () => {
    const running = await start();
    await running.close();
    await running.close();
    expect((await rawGet(running.url)).end).toBe('ECONNREFUSED');
  });
});

describe('a site', () => {
  it('answers 500 when its handler throws', async () => {
    const { url } = await start();
    expect(await get(`${url}/broken`)).toEqual({ status: 500, text: 'The simulated site failed: no such luck\n' });
  });

  it('knows what a posted request is about, strikes by it, and answers with the quirk', async () => {
    site = await startSite((_request, quirk) => htmlReply(200, quirk ?? 'as ever'), { tokenOf: ({ body }) => body });
    site.faults.set({ kind: 'quirk', name: 'upside down', token: 'b' });
    const { url, log } = site;
    const post = async (body: string) => (await request(url, { method: 'POST', body })).body.text();
    expect([await post('a'), await post('b')]).toEqual(['as ever', 'upside down']);
    expect(log.entries.map(({ token, fault }) => [token, fault])).toEqual([
      ['a', null],
      ['b', 'quirk'],
    ]);
  });

  it('can have control routes of its own', async () => {
    const told: unknown[] = [];
    const controlRoutes = { 'POST tell': (value: unknown) => void told.push(value) };
    site = await startSite(() => htmlReply(200, ''), { controlRoutes });
    expect(await control(`${site.controlUrl}/__sim/tell`, 'POST', { a: 1 })).toEqual({});
    expect(told).toEqual([{ a: 1 }]);
  });

  it('says so when its port is taken', async () => {
    const { url } = await start();
    await expect(startSite(() => htmlReply(200, ''), { port: Number(new URL(url).port) })).rejects.toThrow(
      'EADDRINUSE',
    );
  });
});

/** The client may have its answer a moment before the server has seen the exchange end. */
async function finished(entry: LogEntry): Promise<void> {
  while (entry.finishedAt === null) await new Promise((resolve) => setImmediate(resolve));
}

// What a host has asked for holds however a process ends, whatever way a request takes, and for nobody else.

import { createServer, type RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasData, lookAtData } from '../../src/cli/look-at-data.ts';
import { fetchUrls } from '../../src/engine/fetch-urls.ts';
import type { UrlOutcome } from '../../src/engine/url-outcome.ts';
import { HEARTBEAT_MS } from '../../src/fetch/heartbeat.ts';
import { readHostStates } from '../../src/fetch/stored-memory.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { type Sockets, systemSockets } from '../../src/platform/sockets.ts';
import { curlew, startCurlew } from '../fixtures/curlew-process.ts';
import { flyTime } from '../fixtures/fly-time.ts';
import { listening } from '../fixtures/listening.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { testPipeline } from '../fixtures/test-pipeline.ts';

const scratch = scratchDirectory();

/** The longest that is obeyed at a time. */
const ASKED_FOR_MS = 3_600_000;
const leaveMeAlone: RequestListener = (_request, response) =>
  response.writeHead(429, { 'Retry-After': String(ASKED_FOR_MS / 1_000) }).end();

/** A site, and when each of its paths was asked for. */
async function startSite(answer: RequestListener, clock: Clock = systemClock) {
  const asked: { readonly path: string; readonly at: number }[] = [];
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? '', at: clock.monotonic() });
    answer(request, response);
  });
  const { port, close } = await listening(server);
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, asked, paths: () => asked.map(({ path }) => path) };
}

/** Resolves when the ledger has what its only host asked for: before the process could have saved it with a heartbeat. */
async function savedSoon(data: string): Promise<void> {
  const heldUntil = async () => {
    if (!hasData(data)) return [];
    const states = await lookAtData(data, async (ledger) => readHostStates(await ledger.hostStates()));
    return [...states.values()].map(({ rate }) => rate.heldUntil).filter((until) => until > systemClock.now());
  };
  await expect.poll(async () => (await heldUntil()).length).toBe(1);
  const learntAt = (await heldUntil()).map((until) => until - ASKED_FOR_MS);
  expect(systemClock.now() - Math.min(...learntAt)).toBeLessThan(HEARTBEAT_MS);
}

describe('Retry-After', () => {
  it.each(['SIGINT', 'SIGKILL'] as const)(
    'is known to the next process, though this one ended by %s',
    async (signal) => {
      const site = await startSite(leaveMeAlone);
      const data = scratch('data');
      const args = ['fetch', `${site.url}/a`, '--data', data, '--allow-host', '127.0.0.1', '--json'];
      const first = startCurlew(args);
      await expect.poll(() => site.paths()).toEqual(['/robots.txt']);
      await savedSoon(data);
      first.kill(signal);
      await first.ended;

      const [host] = JSON.parse(`[${(await curlew(['hosts', '--data', data, '--json'])).stdout.trim().split('\n')}]`);
      expect(host).toMatchObject({ requests: 1 });
      const second = startCurlew(args);
      await sleep(2_000);
      second.kill('SIGKILL');
      await second.ended;
      expect(site.paths()).toEqual(['/robots.txt']);
    },
  );

  it('holds a request that waits for its connection when it comes', async () => {
    const site = await startSite((request, response) => {
      if (request.url === '/1') response.writeHead(429, { 'Retry-After': '1' });
      response.end();
    });
    const asked = Promise.withResolvers<unknown>();
    let lookups = 0;
    const sockets: Sockets = {
      ...systemSockets,
      async resolve() {
        lookups++;
        if (lookups === 2) await asked.promise;
        return [{ address: '127.0.0.1', family: 4 }];
      },
    };
    const settings = { robots: 'off', allowHosts: ['court.test'] } as const;
    const { fetch } = await testPipeline(settings, { sockets });
    const court = site.url.replace('127.0.0.1', 'court.test');
    const first = fetch(`${court}/1`);
    asked.resolve(first);
    const [limited, other] = await Promise.all([first, fetch(`${court}/2`)]);
    expect([limited.kind, other.kind]).toEqual(['rate_limited', 'ok']);
    const [one, two] = site.asked;
    expect((two?.at ?? 0) - (one?.at ?? 0)).toBeGreaterThanOrEqual(990);
  });
});

describe('what a host asks for', () => {
  it('counts when the head of its answer is here, however long the body takes', async () => {
    const enough = Promise.withResolvers<void>();
    const site = await startSite((request, response) => {
      if (request.url !== '/slow') return void response.end('page');
      response.writeHead(429, { 'Retry-After': '2' }).write('please');
      enough.promise.then(() => response.end('wait'));
    });
    const { fetch, events } = await testPipeline({ rate: 10, robots: 'off' });
    const slow = fetch(`${site.url}/slow`);
    await expect.poll(() => events().map(({ kind }) => kind)).toContain('retry_after');
    const pages = await Promise.all([1, 2, 3].map((page) => fetch(`${site.url}/${page}`)));
    enough.resolve();
    expect([(await slow).kind, ...pages.map(({ kind }) => kind)]).toEqual(['rate_limited', 'ok', 'ok', 'ok']);
    const [first, second] = site.asked;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_990);
  });

  it.each([
    ['sync of a mirror', ['mirror', 'sync']],
    ['run of a mirror', ['mirror', 'run']],
    ['dry run of a mirror', ['mirror', 'run', '--dry-run']],
    ['walk of a site', ['sites', 'run', 'examples/listing-site.ts']],
  ])('is known after a kill of the %s', async (_what, command) => {
    const site = await startSite(leaveMeAlone);
    const baseUrl = command[0] === 'sites' ? ['--base-url', site.url] : [];
    const args = [...command, ...baseUrl, '--data', scratch('data'), '--allow-host', '127.0.0.1'];
    const csv = `${site.url}/judgments.csv`;
    const env = { BAILIIKC_UJ_BASE_URL: site.url, BAILIIKC_UJ_CSV_URL: csv };
    const first = startCurlew(args, { env });
    await expect.poll(() => site.paths()).toEqual(['/robots.txt']);
    await savedSoon(scratch('data'));
    first.kill('SIGKILL');
    await first.ended;
    const second = startCurlew(args, { env });
    await sleep(3_000);
    second.kill('SIGKILL');
    // It was there, and waited.
    expect(await second.ended).toMatchObject({ signal: 'SIGKILL' });
    expect(site.paths()).toEqual(['/robots.txt']);
  });

  it('is asked of it under any spelling of its name', async () => {
    // Its time stands still while a request is on its way: in real time one that is held up seems near to the next.
    const clock = new FakeClock();
    const site = await startSite((_request, response) => response.end('page'), clock);
    const sockets: Sockets = { ...systemSockets, resolve: async () => [{ address: '127.0.0.1', family: 4 }] };
    const settings = { robots: 'off', rate: 2, allowHosts: ['court.test'] } as const;
    const { fetch } = await testPipeline(settings, { sockets, clock });
    const names = ['court.test', 'court.test.', 'COURT.TEST'];
    await flyTime(clock, Promise.all(names.map((name) => fetch(site.url.replace('127.0.0.1', name)))));
    const gaps = site.asked.slice(1).map(({ at }, index) => at - (site.asked[index]?.at ?? 0));
    expect(gaps).toHaveLength(2);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(500);
  });

  it('and what it was asked is all in the receipt, also what nobody waited for', async () => {
    const site = await startSite((request, response) => {
      if (request.url === '/robots.txt') response.writeHead(404).end();
    });
    const data = scratch('data');
    const urls = [1, 2, 3].map((page) => `${site.url}/${page}`);
    const first = startCurlew(['fetch', ...urls, '--data', data, '--allow-host', '127.0.0.1', '--rate', '20']);
    await expect.poll(() => site.paths().length).toBe(4);
    first.kill('SIGINT');
    await first.says('Once more');
    await sleep(100);
    first.kill('SIGINT');
    await first.ended;
    const { stdout } = await curlew(['hosts', '--receipt', 'latest', '--data', data, '--json']);
    expect(JSON.parse(stdout).hosts).toMatchObject([{ requests: 4 }]);
    expect(JSON.parse((await curlew(['hosts', '--data', data, '--json'])).stdout)).toMatchObject({ requests: 4 });
  });
});

describe('a host that is closed', () => {
  it('keeps no request of another from its turn, however many are sent on to it', async () => {
    const shut = await startSite(leaveMeAlone);
    const site = await startSite((request, response) => {
      const { url = '' } = request;
      if (url.startsWith('/away')) response.writeHead(302, { Location: `${shut.url}${url}` });
      else if (url === '/robots.txt') response.writeHead(404);
      response.end('page');
    });
    const away = Array.from({ length: 30 }, (_, index) => `${site.url}/away/${index}`);
    const pages = Array.from({ length: 5 }, (_, index) => `${site.url}/page/${index}`);
    const outcomes: UrlOutcome[] = [];
    const fetching = fetchUrls([...away, ...pages], {
      data: scratch('data'),
      allowHosts: ['127.0.0.1'],
      rate: 'off',
      robots: 'off',
      onOutcome: (outcome) => outcomes.push(outcome),
    });
    await expect.poll(() => outcomes.map(({ url }) => url).toSorted()).toEqual(pages);
    expect(outcomes.map(({ kind }) => kind)).toEqual(pages.map(() => 'ok'));
    // Those that were under way when it said so, and none after.
    expect(shut.asked.length).toBeLessThanOrEqual(16);
    fetching.stop('now');
    expect(await fetching.summary).toMatchObject({ status: 'interrupted' });
  });
});

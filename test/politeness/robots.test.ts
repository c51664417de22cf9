// robots.txt through the whole pipeline and a real server. Days pass on a fake clock.

import { createServer } from 'node:http';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { flyTime } from '../fixtures/fly-time.ts';
import { listening } from '../fixtures/listening.ts';
import { testPipeline } from '../fixtures/test-pipeline.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const EVERYTHING = 'User-agent: *\nDisallow: /\n';

let court: RunningCourt;
beforeEach(async () => {
  court = await startCourt();
});
afterEach(() => court.close());

const asked = () => court.log.entries.filter(({ path }) => path === '/robots.txt').length;
const pages = () => court.log.entries.filter(({ path }) => path !== '/robots.txt').map(({ path }) => path);

describe('robots.txt', () => {
  it('is fetched once, however many wait for it', async () => {
    court.faults.set({ kind: 'latency', ms: 100, path: '/robots.txt' });
    const { fetch } = await testPipeline();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => fetch(`${court.url}/case/${index + 1}`)),
    );
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['ok']));
    expect([asked(), pages().length]).toEqual([1, 50]);
  });

  it('is the group for our own name, else that for all', async () => {
    court.setRobots('User-agent: *\nDisallow: /case/1\n\nUser-agent: curlew-test\nDisallow: /case/2\n');
    const { fetch } = await testPipeline();
    expect(await fetch(`${court.url}/case/1`)).toMatchObject({ kind: 'ok' });
    expect(await fetch(`${court.url}/case/2`)).toMatchObject({
      kind: 'skipped',
      reason: 'robots.txt: Disallow: /case/2 (line 5)',
    });
  });

  it('counts for 24 h; what it says then counts from then on, in the middle of a run', async () => {
    const clock = new FakeClock();
    const { fetch } = await testPipeline({}, { clock });
    expect(await fetch(`${court.url}/case/1`)).toMatchObject({ kind: 'ok' });
    court.setRobots(EVERYTHING);
    await clock.advance(24 * HOUR_MS - 1);
    expect(await fetch(`${court.url}/case/2`)).toMatchObject({ kind: 'ok' });
    expect(asked()).toBe(1);
    await clock.advance(1);
    expect(await fetch(`${court.url}/case/3`)).toMatchObject({ kind: 'skipped' });
    expect(asked()).toBe(2);
  });

  it('is remembered over restarts', async () => {
    court.setRobots('User-agent: *\nDisallow: /case/2\n');
    const first = await testPipeline();
    await first.fetch(`${court.url}/case/1`);
    const { robots } = first.takeUnsaved();
    const second = await testPipeline({}, { memory: { robots } });
    expect(await second.fetch(`${court.url}/case/2`)).toMatchObject({ kind: 'skipped' });
    expect(asked()).toBe(1);
  });

  it.each([
    ['has asked for time', 429, { 'Retry-After': '1200' }],
    ['is down', 503, {}],
  ])('that lies on another host does not wait for it when that %s, nor trouble it', async (_how, status, headers) => {
    const clock = new FakeClock();
    const began = clock.now();
    let troubled = 0;
    const other = await listening(
      createServer((_request, response) => {
        troubled++;
        response.writeHead(status, headers).end();
      }),
    );
    const site = await listening(
      createServer(({ url }, response) => {
        const location = `http://127.0.0.1:${other.port}/robots.txt`;
        if (url === '/robots.txt') response.writeHead(302, { Location: location });
        response.end('page');
      }),
    );
    onTestFinished(async () => {
      await site.close();
      await other.close();
    });
    const { fetch } = await testPipeline({}, { clock });
    const wanted = status === 503 ? [1, 2, 3, 4, 5].map((page) => `http://127.0.0.1:${other.port}/${page}`) : [];
    await flyTime(clock, Promise.all(wanted.map((url) => fetch(url))));
    const [before, at] = [troubled, clock.now()];
    const page = fetch(`http://127.0.0.1:${site.port}/page`);
    expect(await flyTime(clock, page)).toMatchObject({ kind: 'ok' });
    // The time of three attempts.
    expect(clock.now() - at).toBeLessThan(10 * SECOND_MS);
    expect(troubled - before).toBe(status === 503 ? 0 : 1);
    expect(clock.now() - began).toBeLessThan(30 * SECOND_MS);
  });

  it('that is said not to have changed leaves what was known of it in force', async () => {
    const clock = new FakeClock();
    court.setRobots(EVERYTHING);
    const { fetch, events } = await testPipeline({}, { clock });
    expect(await fetch(`${court.url}/case/1`)).toMatchObject({ kind: 'skipped' });
    court.faults.set({ kind: 'status', status: 304, path: '/robots.txt' });
    await clock.advance(25 * HOUR_MS);
    const again = fetch(`${court.url}/case/2`);
    await flyTime(clock, again);
    expect(await again).toMatchObject({ kind: 'skipped' });
    expect(events()).toContainEqual(expect.objectContaining({ kind: 'robots_unreachable', inForce: 'last_copy' }));
  });

  it.each([400, 401, 403, 404, 410, 451])(
    'that answers %i forbids nothing, and that is not worth a word',
    async (status) => {
      court.faults.set({ kind: 'status', status, path: '/robots.txt' });
      const pipeline = await testPipeline({ robots: 'strict' });
      expect(await pipeline.fetch(`${court.url}/case/1`)).toMatchObject({ kind: 'ok' });
      expect(pipeline.events().filter(({ kind }) => kind === 'robots_unreachable')).toEqual([]);
    },
  );

  it.each([
    ['answers 503', { kind: 'status', status: 503, path: '/robots.txt' }],
    ['answers 500', { kind: 'status', status: 500, path: '/robots.txt' }],
    ['is cut off', { kind: 'reset', path: '/robots.txt' }],
  ] as const)('that %s is tried three times, then allows with a warning; strictly, it does not', async (_, fault) => {
    court.faults.set(fault);
    const clock = new FakeClock();
    const began = clock.now();
    const lenient = await testPipeline({}, { clock });
    expect(await flyTime(clock, lenient.fetch(`${court.url}/case/1`))).toMatchObject({ kind: 'ok' });
    expect(asked()).toBe(3);
    expect(clock.now() - began).toBeGreaterThanOrEqual(6 * SECOND_MS);
    expect(lenient.events()).toContainEqual(expect.objectContaining({ kind: 'robots_unreachable', inForce: 'allow' }));

    const strict = await testPipeline({ robots: 'strict' }, { clock });
    const outcome = await flyTime(clock, strict.fetch(`${court.url}/case/2`));
    expect(outcome).toMatchObject({
      kind: 'site_wide',
      because: 'robots',
      reason: expect.stringContaining('unreachable'),
    });
    expect(pages()).toEqual(['/case/1']);
  });

  it('that could not be reached is asked for again after five minutes, and by the next process at once', async () => {
    court.setRobots(EVERYTHING);
    const fault = court.faults.set({ kind: 'status', status: 503, path: '/robots.txt' });
    const clock = new FakeClock();
    const first = await testPipeline({}, { clock });
    expect(await flyTime(clock, first.fetch(`${court.url}/case/1`))).toMatchObject({ kind: 'ok' });
    await court.faults.clear(fault);
    await clock.advance(4 * 60 * SECOND_MS);
    expect(await first.fetch(`${court.url}/case/2`)).toMatchObject({ kind: 'ok' });
    const { robots } = first.takeUnsaved();
    const second = await testPipeline({}, { clock, memory: { robots } });
    expect(await second.fetch(`${court.url}/case/3`)).toMatchObject({ kind: 'skipped' });
    await clock.advance(60 * SECOND_MS);
    expect(await first.fetch(`${court.url}/case/4`)).toMatchObject({ kind: 'skipped' });
  });

  it('that asks for time makes the whole host wait', async () => {
    court.faults.set({ kind: 'status', status: 429, headers: { 'retry-after': '120' }, path: '/robots.txt', count: 1 });
    const clock = new FakeClock();
    const began = clock.now();
    const pipeline = await testPipeline({}, { clock });
    await flyTime(clock, pipeline.fetch(`${court.url}/case/1`));
    expect(clock.now() - began).toBeGreaterThanOrEqual(120 * SECOND_MS);
    expect(asked()).toBe(2);
    expect(pipeline.events()).toContainEqual(expect.objectContaining({ kind: 'retry_after', until: began + 120_000 }));
  });

  describe('without an end', () => {
    /** A site whose robots.txt goes on for ever, behind `head`. */
    async function endless(status: number, head: string, headers: Readonly<Record<string, string>> = {}) {
      const { port, close } = await listening(
        createServer((request, response) => {
          if (request.url !== '/robots.txt') return void response.end('page');
          response.writeHead(status, headers);
          const body = Readable.from(
            (function* () {
              yield head;
              for (;;) yield `#${'x'.repeat(9_999)}\n`;
            })(),
          );
          pipeline(body, headers['content-encoding'] === 'gzip' ? createGzip() : new PassThrough(), response, () => {});
        }),
      );
      onTestFinished(close);
      return `http://127.0.0.1:${port}`;
    }

    it.each([{}, { 'content-length': '999999999' }, { 'content-encoding': 'gzip' }])(
      'is read as far as it counts: %j',
      async (headers) => {
        const url = await endless(200, EVERYTHING, headers);
        const { fetch, events } = await testPipeline();
        expect(await fetch(`${url}/x`)).toMatchObject({ kind: 'skipped', reason: 'robots.txt: Disallow: / (line 2)' });
        expect(events().filter(({ kind }) => kind === 'robots_request')).toMatchObject([{ result: '200' }]);
      },
    );

    it('is a refusal all the same', async () => {
      const { fetch } = await testPipeline();
      expect(await fetch(`${await endless(404, '')}/x`)).toMatchObject({ kind: 'ok' });
    });
  });

  it('is not asked when it is off, and its verdicts are counted when it is not', async () => {
    court.setRobots('User-agent: *\nDisallow: /case/2\n');
    const off = await testPipeline({ robots: 'off' });
    expect(await off.fetch(`${court.url}/case/2`)).toMatchObject({ kind: 'ok' });
    expect(asked()).toBe(0);
    const on = await testPipeline();
    for (const id of [1, 2, 3]) await on.fetch(`${court.url}/case/${id}`);
    const state = on.takeUnsaved().hosts.get(new URL(court.url).host);
    expect(state?.counts).toEqual({ requests: 3, allowed: 2, disallowed: 1 });
  });
});

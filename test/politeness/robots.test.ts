// robots.txt through the whole pipeline and a real server. Days pass on a fake clock.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { flyTime } from '../fixtures/fly-time.ts';
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

// A list of addresses, as `curlew fetch` works it off: each ends with one outcome, after a bounded number of requests, and
// `attempts` is how many the server has seen. Real requests to a real server, on a fake clock.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { fetchUrls } from '../../src/engine/fetch-urls.ts';
import type { SettingsInput } from '../../src/engine/settings.ts';
import type { UrlOutcome } from '../../src/engine/url-outcome.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { seededRandom } from '../../src/platform/random.ts';
import { closing } from '../fixtures/closing.ts';
import { flyTime } from '../fixtures/fly-time.ts';
import { rawServer } from '../fixtures/raw-server.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const scratch = scratchDirectory();
let court: RunningCourt;
beforeEach(async () => {
  court = await startCourt();
});
afterEach(() => court.close());

interface Worked {
  readonly outcome: UrlOutcome;
  readonly tookMs: number;
}

/** Waits for nothing, but measures what the wire takes. */
class WireClock extends FakeClock {
  override monotonic(): number {
    return systemClock.monotonic();
  }
}

async function fetchOne(url: string, settings: SettingsInput = {}, clock = new FakeClock()): Promise<Worked> {
  const began = clock.now();
  const outcomes: UrlOutcome[] = [];
  const fetching = fetchUrls([url], {
    data: scratch('data'),
    allowHosts: [new URL(court.url).host],
    ...settings,
    world: { clock, random: seededRandom(1) },
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  await flyTime(clock, fetching.summary);
  const [outcome, ...more] = outcomes;
  if (outcome === undefined || more.length > 0) return expect.fail(`${outcomes.length} outcomes`);
  return { outcome, tookMs: clock.now() - began };
}

const page = () => `${court.url}/case/1`;
const asked = (path = '/case/1') => court.log.entries.filter((entry) => entry.path === path).length;
const tellToWait = (count?: number) =>
  court.faults.set({
    kind: 'status',
    status: 429,
    headers: { 'retry-after': '7' },
    path: '/case/1',
    ...(count !== undefined && { count }),
  });

describe('an address that is told to wait', () => {
  it('for ever is asked for ten times, each when it was told to come, and then reported', async () => {
    tellToWait();
    const { outcome, tookMs } = await fetchOne(page());
    expect(outcome).toMatchObject({ kind: 'rate_limited', status: 429, attempts: 10 });
    expect(outcome.reason).toBe('429 Too Many Requests');
    expect(asked()).toBe(10);
    expect(tookMs).toBeGreaterThanOrEqual(9 * 7_000);
    expect(tookMs).toBeLessThan(10 * 7_000 + 5_000);
  });

  it('nine times is waited for, and had at the tenth', async () => {
    tellToWait(9);
    const { outcome } = await fetchOne(page());
    expect(outcome).toMatchObject({ kind: 'ok', status: 200, attempts: 10 });
    expect(asked()).toBe(10);
  });

  it('between failures of its own counts for both', async () => {
    court.faults.set({ kind: 'status', status: 500, path: '/case/1', after: 2, count: 2 });
    tellToWait(2);
    const { outcome } = await fetchOne(page());
    expect(outcome).toMatchObject({ kind: 'ok', attempts: 5 });
    expect(asked()).toBe(5);
  });
});

describe('an address that was not asked for has no attempts', () => {
  it('because robots.txt cannot be had, and is insisted on', async () => {
    court.faults.set({ kind: 'status', status: 503, path: '/robots.txt' });
    const { outcome } = await fetchOne(page(), { robots: 'strict' });
    expect(outcome).toMatchObject({ kind: 'skipped', status: null, attempts: 0 });
    expect(outcome.reason).toContain('robots.txt is unreachable');
    expect(asked()).toBe(0);
  });

  it('because robots.txt says no', async () => {
    expect((await fetchOne(`${court.url}/private/x`)).outcome).toMatchObject({ kind: 'skipped', attempts: 0 });
    expect(asked('/private/x')).toBe(0);
  });

  it('because its address is refused', async () => {
    const { outcome } = await fetchOne(page(), { allowHosts: [] });
    expect(outcome).toMatchObject({ kind: 'url_specific', attempts: 0 });
    expect(outcome.reason).toContain('refused to connect');
  });

  it('because the proxy lets nothing through', async () => {
    const proxy = await startCourt();
    proxy.faults.set({ kind: 'down', how: 'refuse' });
    const { outcome } = await fetchOne(page(), { proxy: proxy.url });
    await proxy.close();
    expect(outcome).toMatchObject({ kind: 'site_wide', attempts: 0, proxy: proxy.url });
    expect(asked()).toBe(0);
  });
});

describe('an address that was asked for in vain has as many attempts as were made', () => {
  it.for([
    ['it is answered with 500', { kind: 'status', status: 500 }, 'url_specific'],
    ['it is answered with 503', { kind: 'status', status: 503 }, 'site_wide'],
    ['the connection is reset', { kind: 'reset' }, 'site_wide'],
    ['the body breaks off', { kind: 'truncate' }, 'url_specific'],
  ] as const)('when %s', async ([, fault, kind]) => {
    court.faults.set({ ...fault, path: '/case/1' });
    expect((await fetchOne(page())).outcome).toMatchObject({ kind, attempts: 3 });
    expect(asked()).toBe(3);
  });

  it('when it is told to wait and the body of that breaks off', async () => {
    const [broken, whole] = ['429 Wait\r\nContent-Length: 9\r\n\r\nx', '200 OK\r\nContent-Length: 1\r\n\r\nx'];
    let pages = 0;
    const server = closing(
      await rawServer((socket, head) => {
        const answer = head.startsWith('GET /page ') && ++pages === 1 ? broken : whole;
        socket.end(`HTTP/1.1 ${answer}`);
      }),
    );
    const { outcome } = await fetchOne(`${server.origin}/page`, { allowHosts: ['127.0.0.1'] });
    expect({ ...outcome, pages }).toMatchObject({ kind: 'ok', attempts: 2, pages: 2 });
  });

  it('once, when it is answered for good, and redirects are part of it', async () => {
    court.faults.set({ kind: 'status', status: 302, headers: { location: '/case/2' }, path: '/case/1', count: 1 });
    expect((await fetchOne(page())).outcome).toMatchObject({ kind: 'ok', attempts: 1 });
    expect((await fetchOne(`${court.url}/case/9999`)).outcome).toMatchObject({ status: 404, attempts: 1 });
  });
});

describe('an address whose server keeps us is given up by the limits that are set', () => {
  it('when it never answers', async () => {
    court.faults.set({ kind: 'silent', path: '/case/1' });
    const { outcome } = await fetchOne(page(), { totalTimeoutMs: 400 }, new WireClock());
    expect(outcome).toMatchObject({ kind: 'site_wide', attempts: 3, reason: expect.stringContaining('after 400 ms') });
  });

  it('when its answer drips for ever', async () => {
    court.faults.set({ kind: 'slow', bytesPerSecond: 50, path: '/case/1' });
    const { outcome } = await fetchOne(page(), { totalTimeoutMs: 1_000 }, new WireClock());
    expect(outcome).toMatchObject({ attempts: 3, reason: expect.stringContaining('not done after 1000 ms') });
  });

  it('when it sends more than it should', async () => {
    const { outcome } = await fetchOne(page(), { maxPageBytes: 100 });
    expect(outcome).toMatchObject({ kind: 'url_specific', status: 200, attempts: 3 });
    expect(outcome.reason).toContain('more than 100');
  });
});

// When the requests of pages in Chromium arrive: measured at the sites, and only that nothing comes too early.

import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { type Sockets, systemSockets } from '../../src/platform/sockets.ts';
import { chromiumOrSkip } from '../fixtures/services.ts';
import { testPipeline } from '../fixtures/test-pipeline.ts';
import { TOLERANCE_MS } from './arrivals.ts';
import { pages, pictures, type WatchedSite, watchedSite } from './watched-site.ts';

await chromiumOrSkip();

const browser = { via: 'browser' } as const;
const numbered = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}.png`);

/** All names lead to this machine, when `before` lets them. */
function lookingUp(before: (lookup: number) => Promise<unknown>, onConnect: (at: number) => void = () => {}): Sockets {
  let lookups = 0;
  return {
    async resolve() {
      await before(lookups++);
      return [{ address: '127.0.0.1', family: 4 }];
    },
    connect(addresses, port) {
      return systemSockets.connect(addresses, port).once('connect', () => onConnect(systemClock.monotonic()));
    },
  };
}

/** The same site under a name that has to be looked up. Each request gets a connection of its own. */
const named = (site: WatchedSite) => `http://court.test:${site.port}`;
const NAMED = { robots: 'off', allowHosts: ['court.test'] } as const;
const closing: typeof pages = (given) => (request, response) => {
  response.setHeader('connection', 'close');
  pages(given)(request, response);
};

describe('the rate', () => {
  it('holds for documents and for what they load, of all pages together', async () => {
    const page = (name: string) => pictures(...numbered(6, `/${name}-`));
    const site = await watchedSite(pages({ '/a': page('a'), '/b': page('b'), '/c': page('c') }));
    const { fetch, events } = await testPipeline({ rate: 5, totalTimeoutMs: 60_000 });
    const load = (name: string) => fetch(`${site.url}/${name}`, { ...browser, session: name });
    const outcomes = await Promise.all(['a', 'b', 'c'].map(load));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'ok']);
    // Three pages of six pictures, and robots.txt.
    expect(new Set(site.paths()).size).toBe(22);
    expect(site.paths()).toHaveLength(22);
    const [first, last] = [site.arrivals[0]?.at ?? 0, site.arrivals.at(-1)?.at ?? 0];
    expect(last - first).toBeGreaterThanOrEqual(21 * 200 - TOLERANCE_MS);
    // One that this machine held up on its way came nearer to the next, so that single gaps are told where they left.
    const left = [...outcomes.flatMap(({ exchanges }) => exchanges), ...events().filter((event) => 'url' in event)];
    const leftAt = left.map(({ at }) => at).sort((one, other) => one - other);
    const gaps = leftAt.slice(1).map((at, index) => at - (leftAt[index] ?? 0));
    expect(leftAt).toHaveLength(22);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(200 - TOLERANCE_MS);
  });

  it('counts from when a request is on the wire, though its connection was slow to open', async () => {
    const site = await watchedSite(closing({ '/1': 'one', '/2': 'two' }));
    const slow = Promise.withResolvers<void>();
    const connectedAt: number[] = [];
    const sockets = lookingUp(
      async (lookup) => {
        if (lookup === 0) await slow.promise;
      },
      (at) => connectedAt.push(at),
    );
    const { fetch } = await testPipeline({ ...NAMED, rate: 1 }, { sockets });
    const loads = [1, 2].map((page) => fetch(`${named(site)}/${page}`, { ...browser, session: String(page) }));
    // More than a gap, and nobody else may leave meanwhile.
    setTimeout(slow.resolve, 1_500);
    expect((await Promise.all(loads)).map(({ kind }) => kind)).toEqual(['ok', 'ok']);
    const [, second] = site.arrivals;
    expect((second?.at ?? 0) - (connectedAt[0] ?? Number.NaN)).toBeGreaterThanOrEqual(1_000 - TOLERANCE_MS);
  });
});

describe('Retry-After', () => {
  it('stops what a page loads', async () => {
    const script = `await fetch('/limited'); await fetch('/after'); document.body.id = 'done';`;
    const site = await watchedSite(
      pages({
        '/page': `<script type="module">${script}</script>`,
        '/limited': (_request, response) => void response.writeHead(429, { 'Retry-After': '2' }).end(),
      }),
    );
    const { fetch } = await testPipeline({ totalTimeoutMs: 60_000 });
    expect((await fetch(`${site.url}/page`, { ...browser, waitFor: '#done' })).kind).toBe('ok');
    expect(site.paths()).toEqual(['/robots.txt', '/page', '/limited', '/after']);
    expect(site.arrivalOf('/after') - site.arrivalOf('/limited')).toBeGreaterThanOrEqual(2_000 - TOLERANCE_MS);
  });

  it.each([
    ['a document', '/page', 0],
    ['what a page loads', '/late.png', 1],
  ])('holds %s that waits for its connection when it comes', async (_what, path, lookup) => {
    const site = await watchedSite(
      closing({
        '/page': pictures('/late.png'),
        '/limited': (_request, response) => void response.writeHead(429, { 'Retry-After': '2' }).end(),
      }),
    );
    const waits = Promise.withResolvers<void>();
    const heard = Promise.withResolvers<void>();
    const sockets = lookingUp(async (number) => {
      if (number !== lookup) return;
      waits.resolve();
      await heard.promise;
    });
    const { fetch } = await testPipeline({ ...NAMED, totalTimeoutMs: 60_000 }, { sockets });
    const page = fetch(`${named(site)}/page`, browser);
    await waits.promise;
    expect((await fetch(`${named(site)}/limited`)).kind).toBe('rate_limited');
    heard.resolve();
    expect((await page).kind).toBe('ok');
    expect(site.arrivalOf(path) - site.arrivalOf('/limited')).toBeGreaterThanOrEqual(2_000 - TOLERANCE_MS);
  });
});

describe('waiting at our own gates', () => {
  it('is not the time of the site', async () => {
    const script = `await fetch('/limited'); await fetch('/after'); document.body.id = 'done';`;
    const site = await watchedSite(
      pages({
        '/page': `<script type="module">${script}</script>`,
        '/limited': (_request, response) => void response.writeHead(429, { 'Retry-After': '13' }).end(),
      }),
    );
    const { fetch } = await testPipeline({ totalTimeoutMs: 11_000 });
    expect((await fetch(`${site.url}/page`, { ...browser, waitFor: '#done' })).kind).toBe('ok');
  });
});

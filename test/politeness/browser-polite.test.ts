// What plain HTTP does for a host, and for other hosts, a page in Chromium does too: measured at the sites.

import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { FetchEvent } from '../../src/fetch/fetch-memory.ts';
import type { Outcome } from '../../src/fetch/outcome.ts';
import type { Sockets } from '../../src/platform/sockets.ts';
import { chromiumOrSkip } from '../fixtures/services.ts';
import { type TestPipeline, testPipeline } from '../fixtures/test-pipeline.ts';
import { pages, pictures, type WatchedSite, watchedSite } from './watched-site.ts';

await chromiumOrSkip();

const browser = { via: 'browser' } as const;

/** Loads a page that is given up when the test is over, if not before. */
function loadUntil(pipeline: TestPipeline, url: string, over: AbortSignal): Promise<unknown> {
  return pipeline.fetch(url, browser, over).catch(() => 'given up');
}

describe('a page that fails alone', () => {
  it('is judged as over plain HTTP, so that a run ends', async () => {
    const site = await watchedSite(pages({ '/bad': ({ socket }) => void socket.resetAndDestroy(), '/good': 'good' }));
    const kindsVia = async (via: 'http' | 'browser') => {
      const { fetch } = await testPipeline();
      const kinds: string[] = [];
      for (let attempt = 0; attempt < 5; attempt++) {
        kinds.push((await fetch(`${site.url}/bad`, { via })).kind);
        expect((await fetch(`${site.url}/good`, { via })).kind).toBe('ok');
      }
      return kinds;
    };
    const overHttp = await kindsVia('http');
    expect(overHttp).toEqual(['site_wide', 'site_wide', 'site_wide', 'url_specific', 'url_specific']);
    expect(await kindsVia('browser')).toEqual(overHttp);
  });
});

describe('every request that left has a row', () => {
  /** All rows that the pipeline has for what it sent to `site`: paths of exchanges and events. */
  function rowsOf(site: WatchedSite, outcomes: readonly Outcome[], events: readonly FetchEvent[]): string[] {
    const answered = outcomes.flatMap(({ exchanges }) => exchanges.map(({ url }) => url));
    const rest = events.flatMap((event) => ('url' in event ? [event.url] : []));
    return [...answered, ...rest].filter((url) => url.startsWith(site.url)).map((url) => new URL(url).pathname);
  }
  const kindsOf = (events: readonly FetchEvent[], path: string) =>
    events.filter((event) => 'url' in event && new URL(event.url).pathname === path).map(({ kind }) => kind);

  it('whatever became of it', async () => {
    const site = await watchedSite(
      pages({
        '/reset': ({ socket }) => void socket.resetAndDestroy(),
        '/cut': (_request, response) => {
          response.writeHead(200, { 'content-type': 'text/html', 'content-length': '99' }).write('half');
          response.socket?.end();
        },
        '/moved': (_request, response) => void response.writeHead(302, { location: '/page' }).end(),
        '/page': `${pictures('/1.png', '/broken.png')}<iframe src="/frame"></iframe>`,
        '/broken.png': ({ socket }) => void socket.resetAndDestroy(),
        '/frame': 'frame',
      }),
    );
    const pipeline = await testPipeline();
    const outcomes: Outcome[] = [];
    for (const path of ['/reset', '/cut', '/moved']) outcomes.push(await pipeline.fetch(site.url + path, browser));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['site_wide', 'url_specific', 'ok']);
    const events = pipeline.events();
    expect(rowsOf(site, outcomes, events).sort()).toEqual(site.paths().sort());
    expect(['/reset', '/cut'].map((path) => kindsOf(events, path))).toEqual([['unanswered'], ['unanswered']]);
    const besides = ['/1.png', '/broken.png', '/frame'].map((path) => kindsOf(events, path));
    expect(besides).toEqual([['page_request'], ['page_request'], ['page_request']]);
  });

  it('of its own, where nobody keeps the exchanges', async () => {
    const moved = pages({
      '/moved': (_request, response) => void response.writeHead(302, { location: '/page' }).end(),
      '/page': pictures('/1.png'),
    });
    for (const request of [browser, {}]) {
      const site = await watchedSite(moved);
      const pipeline = await testPipeline({}, { exchanges: 'told' });
      expect(await pipeline.fetch(`${site.url}/moved`, request)).toMatchObject({ kind: 'ok' });
      expect(rowsOf(site, [], pipeline.events()).sort()).toEqual(site.paths().sort());
    }
  });

  it('as soon as it has ended, if it is no document: a process may be killed before the page is whole', async () => {
    const over = new AbortController();
    const site = await watchedSite(
      pages({ '/page': pictures('/1.png', '/slow.png'), '/1.png': 'x', '/slow.png': () => {} }),
    );
    const pipeline = await testPipeline();
    const loading = loadUntil(pipeline, `${site.url}/page`, over.signal);
    await expect.poll(() => kindsOf(pipeline.events(), '/1.png')).toEqual(['page_request']);
    expect(kindsOf(pipeline.events(), '/page')).toEqual([]);
    over.abort(new Error('enough'));
    await loading;
    expect(rowsOf(site, [], pipeline.events()).sort()).toEqual(site.paths().sort());
  });

  it('when the load was given up before there was an answer', async () => {
    const stop = new AbortController();
    const site = await watchedSite(() => stop.abort(new Error('enough')));
    const pipeline = await testPipeline();
    await expect(pipeline.fetch(`${site.url}/page`, browser, stop.signal)).rejects.toThrow('enough');
    const events = pipeline.events();
    expect(kindsOf(events, '/page')).toEqual(['unanswered']);
    expect(rowsOf(site, [], events)).toEqual(site.paths());
  });

  it('when nothing listens there', async () => {
    const sockets: Sockets = {
      resolve: async () => [{ address: '93.184.215.14', family: 4 }],
      connect: () => connect(1, '127.0.0.1'),
    };
    const { fetch, events } = await testPipeline({ robots: 'off' }, { sockets });
    const outcome = await fetch('http://court.example/', browser);
    expect(outcome).toMatchObject({ kind: 'site_wide', failure: 'connect_refused' });
    expect(events().map(({ kind }) => kind)).toEqual(['waiting', 'unanswered']);
  });
});

describe('robots.txt', () => {
  it('is obeyed by what a page loads', async () => {
    const site = await watchedSite(
      pages({ '/page': pictures('/open.png', '/closed/1.png', '/closed/2.png') }),
      'User-agent: *\nDisallow: /closed/\n',
    );
    const { fetch } = await testPipeline();
    expect((await fetch(`${site.url}/page`, browser)).kind).toBe('ok');
    expect(site.paths()).toEqual(['/robots.txt', '/page', '/open.png']);
  });

  it('of another host that a page is sent on to has its name in the reason', async () => {
    const other = await watchedSite(pages({}), 'User-agent: *\nDisallow: /\n');
    const site = await watchedSite((_request, response) => {
      response.writeHead(302, { location: `${other.url}/page` }).end();
    });
    const { fetch } = await testPipeline();
    const [overHttp, inBrowser] = [await fetch(site.url), await fetch(site.url, browser)];
    expect(overHttp).toMatchObject({ kind: 'skipped', reason: expect.stringMatching(`^127.0.0.1:${other.port}: `) });
    expect(inBrowser).toMatchObject({ kind: 'skipped', reason: overHttp.kind === 'skipped' ? overHttp.reason : '' });
    expect(other.paths()).toEqual(['/robots.txt']);
  });
});

describe('the breaker', () => {
  it('opens by what a page loads, and lets no more of it through', async () => {
    const down = await watchedSite((_request, response) => void response.writeHead(503).end());
    const one = (path: string) => `await fetch('${down.url}/${path}', { mode: 'no-cors' }).catch(() => {});`;
    const script = Array.from({ length: 9 }, (_, index) => one(String(index))).join('\n');
    const page = `<script type="module">${script} document.body.id = 'done';</script>`;
    const site = await watchedSite(pages({ '/page': page }));
    const { fetch, events } = await testPipeline();
    expect((await fetch(`${site.url}/page`, { ...browser, waitFor: '#done' })).kind).toBe('ok');
    expect(events().filter(({ kind }) => kind === 'breaker')).toMatchObject([{ state: 'open', failures: 5 }]);
    expect(down.paths()).toEqual(['/robots.txt', '/0', '/1', '/2', '/3', '/4']);
  });

  it('opens while pictures wait for their turn, and the page does not wait for them', async () => {
    const down = await watchedSite((_request, response) => void response.writeHead(503).end());
    const sources = Array.from({ length: 20 }, (_, index) => `${down.url}/${index}.png`);
    const site = await watchedSite(pages({ '/page': pictures(...sources) }));
    const { fetch, events } = await testPipeline({ rate: 10 });
    expect((await fetch(`${site.url}/page`, browser)).kind).toBe('ok');
    expect(events().filter(({ kind }) => kind === 'breaker')).toMatchObject([{ state: 'open' }]);
  });

  it('opens when http sends pages on to an https that is down', async () => {
    const site = await watchedSite(({ url }, response) => {
      response.writeHead(301, { location: `https://court.example${url}` }).end();
    });
    const sockets: Sockets = {
      resolve: async () => [{ address: '93.184.215.14', family: 4 }],
      connect: (_addresses, port) => connect(port === 80 ? site.port : 1, '127.0.0.1'),
    };
    const { fetch, takeUnsaved } = await testPipeline({ robots: 'off' }, { sockets });
    for (let page = 0; page < 5; page++) {
      expect((await fetch(`http://court.example/${page}`, browser)).kind).toBe('site_wide');
    }
    expect(takeUnsaved().hosts.get('court.example')).toMatchObject({ breaker: { kind: 'open', failures: 5 } });
  });
});

describe('other hosts', () => {
  const ASKS_FOR_AN_HOUR = 'User-agent: *\nCrawl-delay: 3600\n';

  it('do not wait while pages wait at the gate of one that has asked for time', async () => {
    const slow = await watchedSite(
      (_request, response) => void response.writeHead(429, { 'Retry-After': '3600' }).end(),
    );
    const other = await watchedSite(pages({ '/page': 'here' }));
    const pipeline = await testPipeline();
    expect((await pipeline.fetch(`${slow.url}/limited`)).kind).toBe('rate_limited');
    const over = new AbortController();
    const waiting = [1, 2, 3].map((page) => loadUntil(pipeline, `${slow.url}/${page}`, over.signal));
    expect((await pipeline.fetch(`${other.url}/page`, browser)).kind).toBe('ok');
    over.abort(new Error('enough'));
    expect(await Promise.all(waiting)).toEqual(['given up', 'given up', 'given up']);
    expect(slow.paths()).toEqual(['/robots.txt', '/limited']);
  });

  it('do not wait while open pages of slow ones wait for their parts', async () => {
    const answer = pages({ '/page': pictures('/1.png') });
    const slow = [await watchedSite(answer, ASKS_FOR_AN_HOUR), await watchedSite(answer, ASKS_FOR_AN_HOUR)];
    const other = await watchedSite(pages({ '/page': pictures('/1.png') }));
    // robots.txt has been asked for an hour ago, or the first page would wait, too.
    const pipeline = await testPipeline({}, { memory: { robots: await robotsOf(slow) } });
    const over = new AbortController();
    const waiting = slow.map(({ url }) => loadUntil(pipeline, `${url}/page`, over.signal));
    await expect.poll(() => slow.map((site) => site.paths())).toEqual([['/page'], ['/page']]);
    expect((await pipeline.fetch(`${other.url}/page`, browser)).kind).toBe('ok');
    over.abort(new Error('enough'));
    expect(await Promise.all(waiting)).toEqual(['given up', 'given up']);
    expect(slow.map((site) => site.paths())).toEqual([['/page'], ['/page']]);
  });

  it('that have asked for time are not waited for by pages that are sent on to them', async () => {
    const slow = await watchedSite(
      (_request, response) => void response.writeHead(429, { 'Retry-After': '3600' }).end(),
    );
    const site = await watchedSite((_request, response) => {
      response.writeHead(302, { location: `${slow.url}/page` }).end();
    });
    const { fetch } = await testPipeline();
    expect((await fetch(`${slow.url}/limited`)).kind).toBe('rate_limited');
    const never = new AbortController().signal;
    const [overHttp, inBrowser] = [
      await fetch(site.url, { via: 'http' }, never, { elsewhere: 'return' }),
      await fetch(site.url, { via: 'browser' }, never, { elsewhere: 'return' }),
    ];
    const reason = `127.0.0.1:${slow.port} has asked for time`;
    const meaning = { kind: 'rate_limited', reason, notBefore: expect.any(Number), exchanges: [{ status: 302 }] };
    expect(overHttp).toMatchObject(meaning);
    expect(inBrowser).toMatchObject(meaning);
    expect(slow.paths()).toEqual(['/robots.txt', '/limited']);
  });

  it('that are about to ask for time say when to come again', async () => {
    const slow = await watchedSite(
      (_request, response) => void response.writeHead(429, { 'Retry-After': '3600' }).end(),
    );
    const site = await watchedSite((_request, response) => {
      response.writeHead(302, { location: `${slow.url}/page` }).end();
    });
    const { fetch } = await testPipeline();
    const outcome = await fetch(site.url, browser, new AbortController().signal, { elsewhere: 'return' });
    expect(outcome).toMatchObject({ kind: 'rate_limited', notBefore: expect.any(Number) });
  });

  /** What an earlier process knew of their robots.txt. */
  async function robotsOf(sites: readonly WatchedSite[]) {
    const fetchedAt = Date.now() - 3_600_000;
    const record = { kind: 'found', text: ASKS_FOR_AN_HOUR, fetchedAt, reason: '200' } as const;
    return new Map(sites.map(({ url }) => [url, record]));
  }
});

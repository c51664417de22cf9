import { afterEach, describe, expect, it } from 'vitest';
import { htmlReply, type Reply, type SimRequest } from '../../sim/reply.ts';
import { type Site, startSite } from '../../sim/site.ts';
import { testPipeline } from '../../test/fixtures/test-pipeline.ts';
import type { Outcome } from './outcome.ts';

const sites: Site[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});

type Pages = Readonly<Record<string, (request: SimRequest) => Reply>>;

/** A site with these pages, 404 for the rest, robots.txt included. */
async function siteWith(pages: Pages): Promise<Site> {
  const site = await startSite((request) => pages[request.pathname]?.(request) ?? htmlReply(404, 'nothing'));
  sites.push(site);
  return site;
}

const page = (headers: Record<string, string> = {}) => htmlReply(200, 'a page', headers);
const to = (location: string, headers: Record<string, string> = {}) => htmlReply(302, '', { location, ...headers });

/** What the site saw: path and cookies of everything but robots.txt. */
function seen(site: Site): string[] {
  const pages = site.log.entries.filter(({ path }) => path !== '/robots.txt');
  return pages.map(({ path, headers }) => `${path} ${headers.cookie ?? '-'}`);
}

const statuses = ({ exchanges }: Outcome) => exchanges.map(({ status }) => status);

describe('a chain of redirects', () => {
  it('ends with the last answer, and hands over all of them in order', async () => {
    const site = await siteWith({ '/a': () => to('/b'), '/b': () => to('/c'), '/c': () => page() });
    const outcome = await (await testPipeline()).fetch(`${site.url}/a`);
    expect(outcome).toMatchObject({ kind: 'ok', response: { url: `${site.url}/c`, status: 200 } });
    expect(statuses(outcome)).toEqual([302, 302, 200]);
  });

  it('may lead back to where it began when a cookie was set on the way', async () => {
    const site = await siteWith({
      '/a': ({ headers }) => (headers.cookie === undefined ? to('/a', { 'set-cookie': 'sid=1' }) : page()),
    });
    const pipeline = await testPipeline();
    expect(await pipeline.fetch(`${site.url}/a`)).toMatchObject({ kind: 'ok' });
    expect(seen(site)).toEqual(['/a -', '/a sid=1']);
    expect(Object.keys(pipeline.takeUnsaved().sessions ?? {})).toEqual(['default']);
    expect(pipeline.takeUnsaved().sessions).toBeUndefined();
  });

  it('asks the robots.txt of every host it comes to', async () => {
    const other = await siteWith({ '/robots.txt': () => htmlReply(200, 'User-agent: *\nDisallow: /secret') });
    const site = await siteWith({ '/a': () => to(`${other.url}/secret/1`) });
    const outcome = await (await testPipeline()).fetch(`${site.url}/a`);
    const reason = `${new URL(other.url).host}: robots.txt: Disallow: /secret (line 2)`;
    expect(outcome).toMatchObject({ kind: 'skipped', reason });
    expect(statuses(outcome)).toEqual([302]);
    expect(seen(other)).toEqual([]);
  });

  it('asks robots.txt again for another path of the same host, without fetching it again', async () => {
    const site = await siteWith({
      '/robots.txt': () => htmlReply(200, 'User-agent: *\nDisallow: /b'),
      '/a': () => to('/b'),
      '/b': () => page(),
    });
    expect(await (await testPipeline()).fetch(`${site.url}/a`)).toMatchObject({ kind: 'skipped' });
    expect(site.log.entries.map(({ path }) => path)).toEqual(['/robots.txt', '/a']);
  });

  it('does not take the conditions of one address to another', async () => {
    const unlessKnown = ({ headers }: SimRequest) =>
      headers['if-none-match'] === undefined ? page() : htmlReply(304, '');
    const site = await siteWith({ '/a': () => to('/b'), '/b': unlessKnown });
    const headers = { 'If-None-Match': '"a"' };
    expect(await (await testPipeline()).fetch(`${site.url}/a`, { headers })).toMatchObject({ kind: 'ok' });
  });
});

describe('cookies', () => {
  it('of a request go to the origin it was made for, and to no other', async () => {
    const other = await siteWith({ '/b': () => to(`${site.url}/c`) });
    const site: Site = await siteWith({ '/a': () => to(`${other.url}/b`), '/c': () => page() });
    const outcome = await (await testPipeline()).fetch(`${site.url}/a`, { cookies: { lang: 'en' } });
    expect(outcome).toMatchObject({ kind: 'ok' });
    expect(seen(site)).toEqual(['/a lang=en', '/c lang=en']);
    expect(seen(other)).toEqual(['/b -']);
  });

  it('of a request win over those of its session, of which the others stay', async () => {
    const site = await siteWith({
      '/set': () => page({ 'set-cookie': 'lang=fr' }),
      '/more': () => page({ 'set-cookie': 'sid=1' }),
      '/a': () => page(),
    });
    const { fetch } = await testPipeline();
    await fetch(`${site.url}/set`);
    await fetch(`${site.url}/more`);
    await fetch(`${site.url}/a`, { cookies: { lang: 'en' } });
    await fetch(`${site.url}/a`, { session: 'another', cookies: { lang: 'en' } });
    await fetch(`${site.url}/a`, { headers: { Cookie: 'mine=1' }, cookies: { lang: 'en' } });
    expect(seen(site).slice(2)).toEqual(['/a sid=1; lang=en', '/a lang=en', '/a mine=1']);
  });
});

describe('a conditional request', () => {
  const tagged = ({ headers }: SimRequest) =>
    headers['if-none-match'] === '"v1"' ? htmlReply(304, '', { etag: '"v1"' }) : page({ etag: '"v1"' });

  it('comes back unchanged on 304, and as a page when there is news', async () => {
    const site = await siteWith({ '/a': tagged });
    const { fetch } = await testPipeline();
    const known = await fetch(`${site.url}/a`, { headers: { 'If-None-Match': '"v1"' } });
    expect(known).toMatchObject({ kind: 'unchanged', etag: '"v1"' });
    expect(await fetch(`${site.url}/a`, { headers: { 'If-None-Match': '"v0"' } })).toMatchObject({ kind: 'ok' });
  });

  it('is the only one that 304 is an answer to', async () => {
    const site = await siteWith({ '/a': () => htmlReply(304, '') });
    expect(await (await testPipeline()).fetch(`${site.url}/a`)).toMatchObject({ kind: 'url_specific', status: 304 });
  });
});

describe('a download', () => {
  const big = () => ({ ...page({ 'content-type': 'application/pdf' }), body: Buffer.alloc(200_000, 'x') });

  it('is a whole file, or none at all', async () => {
    const site = await siteWith({ '/a.pdf': big });
    const { fetch, partialFiles } = await testPipeline();
    const whole = await fetch(`${site.url}/a.pdf`, { saves: 'file' });
    expect(whole).toMatchObject({ kind: 'ok', response: { body: { kind: 'file', size: 200_000 } } });
    site.faults.set({ kind: 'reset', afterBytes: 100_000 });
    const broken = await fetch(`${site.url}/a.pdf`, { saves: 'file' });
    expect(broken).toMatchObject({ kind: 'url_specific', retriable: true, failure: 'body_cut_short' });
    expect(await partialFiles()).toEqual([]);
  });

  it('leaves nothing behind when it is given up in the middle', async () => {
    const site = await siteWith({ '/a.pdf': big });
    site.faults.set({ kind: 'slow', bytesPerSecond: 20_000 });
    const { fetch, partialFiles } = await testPipeline();
    const stop = new AbortController();
    const reason = new Error('enough');
    const going = fetch(`${site.url}/a.pdf`, { saves: 'file' }, stop.signal);
    const ended = expect(going).rejects.toBe(reason);
    while ((await partialFiles()).length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(reason);
    await ended;
    expect(await partialFiles()).toEqual([]);
  });

  it('keeps what an error or a redirect says in memory', async () => {
    const site = await siteWith({ '/a': () => to('/b') });
    const outcome = await (await testPipeline()).fetch(`${site.url}/a`, { saves: 'file' });
    expect(outcome.exchanges.map(({ body }) => body.kind)).toEqual(['memory', 'memory']);
  });
});

describe('a request that fails alone', () => {
  it.each([
    ['resets', { kind: 'reset', path: '/bad' }],
    ['answers 502', { kind: 'status', status: 502, path: '/bad' }],
  ] as const)('because it %s is its own trouble once its host has proven to be up', async (_, fault) => {
    const site = await siteWith({ '/good': () => page() });
    site.faults.set(fault);
    const { fetch } = await testPipeline();
    const kinds: string[] = [];
    for (let time = 0; time < 4; time++) {
      kinds.push((await fetch(`${site.url}/bad`)).kind);
      expect(await fetch(`${site.url}/good`)).toMatchObject({ kind: 'ok' });
    }
    expect(kinds).toEqual(['site_wide', 'site_wide', 'site_wide', 'url_specific']);
    const last = await fetch(`${site.url}/bad`);
    expect(last).toMatchObject({
      retriable: true,
      reason: expect.stringContaining('again and again while its host is up'),
    });
    if (fault.kind === 'status') expect(last).toMatchObject({ status: 502 });
  });

  it('is forgiven when it is answered', async () => {
    const site = await siteWith({ '/good': () => page(), '/bad': () => page() });
    const { fetch } = await testPipeline();
    for (let round = 0; round < 2; round++) {
      site.faults.set({ kind: 'reset', path: '/bad', count: 3 });
      for (let time = 0; time < 3; time++) {
        expect(await fetch(`${site.url}/bad`)).toMatchObject({ kind: 'site_wide' });
        await fetch(`${site.url}/good`);
      }
      expect(await fetch(`${site.url}/bad`)).toMatchObject({ kind: 'ok' });
    }
  });
});

describe('what cannot be sent', () => {
  it("is that request's trouble and nobody else's", async () => {
    const site = await siteWith({ '/a': () => page() });
    const { fetch } = await testPipeline({ rate: 1_000 });
    const outcome = await fetch(`${site.url}/a`, { headers: { 'X-Bad': 'two\nlines' } });
    expect(outcome).toMatchObject({
      kind: 'url_specific',
      retriable: false,
      reason: expect.stringMatching(/cannot be sent/),
    });
    expect(await fetch(`${site.url}/a`)).toMatchObject({ kind: 'ok' });
  });

  it('because nobody wants it any more is no outcome, and blocks nobody', async () => {
    const site = await siteWith({ '/a': () => page() });
    site.faults.set({ kind: 'silent', path: '/a', count: 1 });
    const { fetch } = await testPipeline({ rate: 1_000 });
    const stop = new AbortController();
    const going = fetch(`${site.url}/a`, {}, stop.signal);
    const ended = expect(going).rejects.toThrow('enough');
    await site.log.arrival(({ path }) => path === '/a');
    stop.abort(new Error('enough'));
    await ended;
    expect(await fetch(`${site.url}/a`)).toMatchObject({ kind: 'ok' });
  });
});

describe('what is learnt', () => {
  it('names every request that left: exchanges those that were answered, events the rest', async () => {
    const site = await siteWith({ '/a': () => page() });
    site.faults.set({ kind: 'reset', path: '/b' });
    const pipeline = await testPipeline();
    const answered = await pipeline.fetch(`${site.url}/a`);
    await pipeline.fetch(`${site.url}/b`);
    const events = pipeline.events().filter(({ kind }) => kind !== 'robots');
    expect(events.map((event) => [event.kind, 'url' in event && event.url])).toEqual([
      ['robots_request', `${site.url}/robots.txt`],
      ['unanswered', `${site.url}/b`],
    ]);
    expect(answered.exchanges).toHaveLength(1);
    expect(site.log.entries).toHaveLength(3);
  });

  it('is told of when an answer has come: nothing may leave for long that it could be saved with', async () => {
    const site = await siteWith({ '/a': () => page() });
    const held = site.faults.set({ kind: 'hold', path: '/a' });
    const pipeline = await testPipeline({}, { exchanges: 'told' });
    let told = 0;
    pipeline.watch(() => told++);
    const answered = pipeline.fetch(`${site.url}/a`);
    await site.log.arrival(({ path }) => path === '/a');
    pipeline.takeUnsaved();
    told = 0;
    site.faults.clear(held);
    await answered;
    expect(told).toBeGreaterThan(0);
    expect(pipeline.takeUnsaved().events).toMatchObject([{ kind: 'answered', url: `${site.url}/a`, result: '200' }]);
  });

  it('has no address of a file where no exchange is kept: who knows a signed one can fetch the file', async () => {
    const site = await siteWith({ '/d': () => to('/signed?key=1'), '/signed': () => page() });
    site.faults.set({ kind: 'reset', path: '/cut' });
    const pipeline = await testPipeline({ robots: 'off' }, { exchanges: 'told' });
    const file = { saves: 'file' } as const;
    expect(await pipeline.fetch(`${site.url}/d`, file)).toMatchObject({ kind: 'ok' });
    await pipeline.fetch(`${site.url}/cut`, file);
    const told = pipeline.events().map((event) => [event.kind, 'url' in event && event.url]);
    expect(told).toEqual([
      ['answered', site.url],
      ['answered', site.url],
      ['unanswered', site.url],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import type { SimRequest } from '../../sim/reply.ts';
import type { Admit } from '../../src/fetch/browser/admit.ts';
import { type BrowserCookie, cookiesOf, setCookieField } from '../../src/fetch/browser/browser-cookie.ts';
import type { Outcome } from '../../src/fetch/outcome.ts';
import { CookieJar } from '../../src/fetch/session/cookie-jar.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { letThrough } from '../fixtures/let-through.ts';
import { testPipeline } from '../fixtures/test-pipeline.ts';
import { answer, load, openBrowser, reply, sharedBrowser, startPages, text } from './browser-setup.ts';

const cookie = (name: string, value: string): BrowserCookie => ({
  name,
  value,
  domain: '127.0.0.1',
  path: '/',
  expires: undefined,
  secure: false,
  httpOnly: false,
  sameSite: undefined,
});

/** Says which cookies came, and what its script finds stored. */
async function mirror() {
  return startPages({
    '/': ({ headers, search }) =>
      reply(
        200,
        `<p>cookie: ${headers.cookie ?? 'none'}</p><p id="stored"></p>
        <script>stored.textContent = 'stored: ' + localStorage.name; localStorage.name = '${search}'</script>`,
      ),
    '/login': reply(200, '<script>document.cookie = "theme=dark"</script>', {
      'set-cookie': 'sid=7; HttpOnly; Max-Age=600',
    }),
    '/logout': reply(200, 'bye', { 'set-cookie': 'sid=; Max-Age=0' }),
  });
}

describe('a browser session', () => {
  it('sends the cookies it was given, and no others', async () => {
    const site = await mirror();
    const browser = await sharedBrowser();
    expect(text(await load(browser, site.url, { cookies: [cookie('a', '1')] }))).toContain('cookie: a=1<');
    expect(text(await load(browser, site.url, { cookies: [cookie('b', '2')] }))).toContain('cookie: b=2<');
    expect(text(await load(browser, site.url))).toContain('cookie: none');
  });

  it('leaves out a cookie that Chromium does not take, and keeps the others', async () => {
    const site = await mirror();
    const cookies = [cookie('bad;name', '1'), cookie('good', '2')];
    expect(text(await load(await sharedBrowser(), site.url, { cookies }))).toContain('cookie: good=2<');
  });

  it('reports what a page set, changed or removed, and only that', async () => {
    const site = await mirror();
    const browser = await sharedBrowser();
    const kept = cookie('kept', 'x');
    const login = answer(await load(browser, `${site.url}/login`, { cookies: [kept] }));
    expect(login.cookieChanges).toMatchObject([
      { name: 'sid', value: '7', domain: '127.0.0.1', path: '/', httpOnly: true, secure: false },
      { name: 'theme', value: 'dark', httpOnly: false, expires: undefined },
    ]);
    expect(login.cookieChanges[0]?.expires).toBeGreaterThan(systemClock.now() + 500_000);
    const logout = answer(await load(browser, `${site.url}/logout`, { cookies: [kept, ...login.cookieChanges] }));
    expect(logout.cookieChanges).toMatchObject([{ name: 'sid', expires: 0 }]);
  });

  it('keeps its cookies in the run’s jar', async () => {
    const site = await mirror();
    const browser = await sharedBrowser();
    const jar = new CookieJar();
    const visit = async (path: string) => {
      const saved = jar.save();
      const cookies = saved === undefined ? [] : cookiesOf(saved, systemClock.now());
      const result = answer(await load(browser, site.url + path, { cookies }));
      for (const change of result.cookieChanges) {
        const { url, value } = setCookieField(change);
        jar.take(url, [['set-cookie', value]]);
      }
      return text(result);
    };
    await visit('/login');
    expect(jar.headerFor(new URL(site.url))).toBe('sid=7; theme=dark');
    expect(await visit('/')).toContain('cookie: sid=7; theme=dark<');
    await visit('/logout');
    expect(jar.headerFor(new URL(site.url))).toBe('theme=dark');
  });

  it('shares storage with its own loads and with no other session', async () => {
    const site = await mirror();
    const browser = await openBrowser();
    const visit = async (session: string, mark: string) =>
      text(await load(browser, `${site.url}/?${mark}`, { session }));
    await visit('one', 'first');
    expect(await visit('one', 'second')).toContain('stored: first');
    expect(await visit('two', 'other')).toContain('stored: undefined');
    expect(await visit('one', 'third')).toContain('stored: second');
  });

  it('is given up when it is not used', async () => {
    const site = await mirror();
    const browser = await openBrowser({ timeouts: { idleSessionMs: 0 } });
    await load(browser, `${site.url}/?first`);
    // A timer that is set later and runs longer fires later.
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(text(await load(browser, `${site.url}/?second`))).toContain('stored: undefined');
  });

  it('gives way to another when there is room for one', async () => {
    const site = await mirror();
    const browser = await openBrowser({ maxPages: 1 });
    for (const session of ['one', 'two']) await load(browser, `${site.url}/?first`, { session });
    expect(text(await load(browser, `${site.url}/?x`, { session: 'two' }))).toContain('stored: first');
    expect(text(await load(browser, `${site.url}/?x`, { session: 'one' }))).toContain('stored: undefined');
  });
});

describe('the cookies of a request', () => {
  it.each(['http', 'browser'] as const)('go to the origin it was made for and to no other (%s)', async (via) => {
    const seen: string[] = [];
    const note = (name: string, body: string) => (request: SimRequest) => {
      seen.push(`${name} ${request.headers.cookie ?? 'none'}`);
      return reply(200, body);
    };
    const other = await startPages({ '/': note('other', ''), '/part': note('part of other', '') });
    const site = await startPages({
      '/set': reply(200, '', { 'set-cookie': 'own=of-session' }),
      '/': note('site', ''),
      '/redirect': ({ headers }) => {
        seen.push(`redirect ${headers.cookie}`);
        return reply(302, '', { location: other.url });
      },
      '/back': reply(302, '', { location: '/' }),
      '/page': `<img src="${other.url}/part"><script src="/own-part"></script><p id="seen"></p>
        <script>seen.textContent = 'cookie: ' + document.cookie</script>`,
      '/own-part': note('part of site', ''),
    });
    const pipeline = await testPipeline();
    const request = { via, cookies: { own: 'SECRET' } };
    await pipeline.fetch(`${site.url}/redirect`, request);
    await pipeline.fetch(`${site.url}/back`, request);
    expect(seen.splice(0)).toEqual(['redirect own=SECRET', 'other none', 'site own=SECRET']);
    // Cookies know no ports: what the site set goes to the other one too.
    await pipeline.fetch(`${site.url}/set`, { via });
    await pipeline.fetch(`${site.url}/redirect`, request);
    expect(seen.splice(0)).toEqual(['redirect own=SECRET', 'other own=of-session']);
    if (via === 'http') return;
    const outcome = await pipeline.fetch(`${site.url}/page`, { ...request, session: 'another' });
    expect(seen.sort()).toEqual(['part of other none', 'part of site own=SECRET']);
    expect(htmlOf(outcome)).toContain('<p id="seen">cookie: </p>');
    await pipeline.fetch(site.url, { via, session: 'another' });
    expect(seen).toContain('site none');
  });

  it.each(['http', 'browser'] as const)('must be fit to be sent (%s)', async (via) => {
    const site = await mirror();
    const pipeline = await testPipeline();
    for (const wrong of [{ cookies: { own: 'a\r\nb' } }, { cookies: { own: '☃' } }, { headers: { 'X-Own': 'a\nb' } }]) {
      const outcome = await pipeline.fetch(site.url, { via, ...wrong });
      expect(outcome).toMatchObject({ kind: 'url_specific', retriable: false });
    }
    expect(site.log.entries.map(({ path }) => path).filter((path) => path !== '/robots.txt')).toEqual([]);
  });
});

describe('a session', () => {
  it.each(['constructor', '__proto__', 'toString'])('may have any name (%s)', async (session) => {
    const site = await mirror();
    const pipeline = await testPipeline();
    expect(htmlOf(await pipeline.fetch(site.url, { via: 'browser', session }))).toContain('cookie: none');
    await pipeline.fetch(`${site.url}/login`, { via: 'browser', session });
    const saved = JSON.parse(JSON.stringify(pipeline.takeUnsaved().sessions));
    const resumed = await testPipeline({}, { memory: { sessions: saved } });
    for (const via of ['http', 'browser'] as const) {
      expect(htmlOf(await resumed.fetch(site.url, { via, session }))).toContain('cookie: sid=7; theme=dark<');
    }
    expect(htmlOf(await resumed.fetch(site.url, { via: 'browser' }))).toContain('cookie: none');
  });
});

/** The page that came of a request, as text. */
function htmlOf(outcome: Outcome): string {
  if (outcome.kind !== 'ok' || outcome.response.body.kind !== 'memory') throw new Error(JSON.stringify(outcome));
  return Buffer.from(outcome.response.body.decoded).toString();
}

describe('several loads at once', () => {
  it('are no more than allowed, and end apart', async () => {
    let inside = 0;
    let most = 0;
    const release = Promise.withResolvers<void>();
    const page = (name: string) => `page ${name}<script src="/${name}.js"></script>`;
    const site = await startPages({ '/a': page('a'), '/b': page('b'), '/c': page('c') });
    const browser = await openBrowser({ maxPages: 2 });
    const admit: Admit = async ({ kind }) => {
      if (kind === 'document') return letThrough();
      inside += 1;
      most = Math.max(most, inside);
      // Both places are taken before either goes on.
      if (inside === 2) release.resolve();
      await release.promise;
      return letThrough(() => {
        inside -= 1;
      });
    };
    const loads = ['/a', '/b', '/c'].map((path) => load(browser, site.url + path, { admit }));
    const pages = (await Promise.all(loads)).map(text);
    expect(pages.map((page) => /page \w/.exec(page)?.[0])).toEqual(['page a', 'page b', 'page c']);
    expect(most).toBe(2);
  });

  it('make room for others when their document may not leave any more, and begin anew', async () => {
    const site = await startPages({ '/a': 'page a', '/b': 'page b' });
    const browser = await openBrowser({ maxPages: 1 });
    const recalled = Promise.withResolvers<void>();
    let asked = 0;
    const first = load(browser, `${site.url}/a`, {
      admit: async () => {
        asked += 1;
        if (asked === 1) return { ...letThrough(), leave: () => undefined };
        recalled.resolve();
        await second;
        return letThrough();
      },
    });
    const second = recalled.promise.then(() => load(browser, `${site.url}/b`));
    expect((await Promise.all([first, second])).map((page) => /page \w/.exec(text(page))?.[0])).toEqual([
      'page a',
      'page b',
    ]);
    expect(site.log.entries.map(({ path }) => path)).toEqual(['/b', '/a']);
  });
});

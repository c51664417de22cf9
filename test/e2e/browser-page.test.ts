import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { headerValue } from '../../src/fetch/http/header-list.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { CurlewError } from '../../src/platform/errors.ts';
import {
  answer,
  closing,
  codeOf,
  hastyBrowser,
  load,
  openBrowser,
  recordingAdmit,
  reply,
  sharedBrowser,
  startPages,
  text,
} from './browser-setup.ts';

describe('a page loaded in Chromium', () => {
  it('has what its script put there', async () => {
    const court = closing(await startCourt({ seed: 7, highest: 20 }));
    const [, , record] = court.expectedCases();
    const result = await load(await sharedBrowser(), `${court.url}/js/case/${record?.id}`, { waitFor: 'time.filed' });
    expect(answer(result)).toMatchObject({ status: 200, url: `${court.url}/js/case/${record?.id}`, hops: [] });
    expect(text(result)).toMatch(/^<!DOCTYPE html><html lang="en">/);
    expect(text(result)).toContain(`<h1 class="">${record?.title}</h1><p class="number">${record?.number}</p>`);
    for (const path of record?.documents ?? []) expect(text(result)).toContain(`<a class="pdf" href="${path}">`);
  });

  it('is waited for only as long as it may take', async () => {
    const site = await startPages({ '/': '<h1>here</h1>' });
    const result = await load(await hastyBrowser(), site.url, { waitFor: '#never' });
    expect(answer(result).unmatched).toMatch(/^no element matched "#never" within [\d.]+ s/);
    expect(text(result)).toContain('<h1>here</h1>');
    expect(answer(result).headers).toContainEqual(['x-curlew-unmatched', '%23never']);
  });

  it('is not waited for when the answer is no 2xx', async () => {
    const site = await startPages({});
    const result = await load(await sharedBrowser(), site.url, { waitFor: '#never' });
    expect(answer(result)).toMatchObject({ status: 404 });
    expect(text(result)).toContain('not here');
  });

  it('is waited for with a selector that Chromium knows, or the request is wrong', async () => {
    const site = await startPages({ '/': '<h1>here</h1>' });
    const loading = load(await sharedBrowser(), site.url, { waitFor: 'h1[' });
    await expect(loading).rejects.toThrow(CurlewError);
    await expect(loading).rejects.toMatchObject({ code: 'selector_syntax' });
  });

  it('comes with headers that are true of the snapshot, and the original ones beside them', async () => {
    const latin = Buffer.from('<meta charset="windows-1252"><p>caf\xe9</p>', 'latin1');
    const site = await startPages({ '/': reply(200, latin, { 'content-type': 'text/html; charset=windows-1252' }) });
    const { headers, body } = answer(await load(await sharedBrowser(), site.url));
    const values = (name: string) => headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
    expect(values('content-type')).toEqual(['text/html; charset=utf-8']);
    expect(values('x-archive-orig-content-type')).toEqual(['text/html; charset=windows-1252']);
    expect(values('content-length')).toEqual([]);
    expect(values('x-archive-orig-content-length')).toEqual([String(latin.length)]);
    expect(body.kind === 'memory' && Buffer.from(body.encoded).toString('utf8')).toContain('<p>café</p>');
  });

  it('arrives whole when it is compressed', async () => {
    const court = closing(await startCourt({ seed: 7, highest: 20, compress: true }));
    const [record] = court.expectedCases();
    const result = await load(await sharedBrowser(), `${court.url}/case/${record?.id}`);
    expect(headerValue(answer(result).headers, 'x-archive-orig-content-encoding')).toMatch(/^(br|gzip)$/);
    expect(headerValue(answer(result).headers, 'content-encoding')).toBeUndefined();
    expect(text(result)).toContain(record?.title);
  });

  it('is given as it came when it is not HTML', async () => {
    const json = { ...reply(200, '{"a": [1]}'), headers: { 'content-type': 'application/json' } };
    const xml = { ...reply(200, '<?xml version="1.0"?><a><b/></a>'), headers: { 'content-type': 'text/xml' } };
    const site = await startPages({ '/json': json, '/xml': xml });
    expect(text(await load(await sharedBrowser(), `${site.url}/json`))).toBe('{"a": [1]}');
    expect(text(await load(await sharedBrowser(), `${site.url}/xml`))).toBe('<?xml version="1.0"?><a><b/></a>');
  });

  it.each([503, 204, 404])('has status %i and an empty body when the site sent none', async (status) => {
    const site = await startPages({ '/': reply(status, '', { 'retry-after': '7' }) });
    const result = await load(await sharedBrowser(), site.url);
    expect(answer(result)).toMatchObject({ status });
    expect(headerValue(answer(result).headers, 'retry-after')).toBe('7');
    expect(text(result)).toBe('');
  });

  it('that wants a password has status 401, and gets none from the address', async () => {
    const site = await startPages({ '/': reply(401, 'who?', { 'www-authenticate': 'Basic realm="x"' }) });
    const result = await load(await sharedBrowser(), site.url.replace('://', '://user:password@'));
    expect(answer(result)).toMatchObject({ status: 401, url: `${site.url}/` });
    expect(text(result)).toContain('who?');
    expect(site.log.entries.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  });

  it('carries the caller’s own header fields to its origin and nowhere else', async () => {
    const other = await startPages({ '/x.js': reply(200, 'done = 1', { 'content-type': 'text/javascript' }) });
    const page = `<script src="${other.url}/x.js"></script><script src="/own.js"></script>`;
    const site = await startPages({ '/': page, '/own.js': '' });
    const headers = [
      ['User-Agent', 'curlew/0'],
      ['Authorization', 'Basic c2VjcmV0'],
      ['X-Own', '1'],
      ['Cookie', 'a=b'],
    ] as const;
    await load(await sharedBrowser(), site.url, { headers });
    const sent = [...site.log.entries, ...other.log.entries].map(({ path, headers: got }) => [
      path,
      got['user-agent'],
      got.authorization,
      got['x-own'],
      got.cookie,
    ]);
    expect(sent).toEqual([
      ['/', 'curlew/0', 'Basic c2VjcmV0', '1', undefined],
      ['/own.js', 'curlew/0', 'Basic c2VjcmV0', undefined, undefined],
      ['/x.js', 'curlew/0', undefined, undefined, undefined],
    ]);
  });

  it('is asked for anew each time, and what it shares with other pages only once', async () => {
    const cached = { 'cache-control': 'max-age=3600' };
    const site = await startPages({
      '/': reply(200, '<script src="/lib.js"></script>', cached),
      '/lib.js': reply(200, 'document.title = "lib"', { ...cached, 'content-type': 'text/javascript' }),
    });
    const browser = await openBrowser();
    for (const _ of [1, 2]) expect(text(await load(browser, site.url))).toContain('<title>lib</title>');
    expect(site.log.entries.map(({ path }) => path)).toEqual(['/', '/lib.js', '/']);
  });

  it('gives up when what it loads is too much', async () => {
    const site = await startPages({
      '/': '<script src="/big"></script>',
      '/big': reply(200, Buffer.alloc(300_000, ' '), { 'content-type': 'text/javascript' }),
    });
    const browser = await openBrowser({ limits: { maxPageBytes: 200_000 } });
    expect(codeOf(await load(browser, site.url))).toBe('decoded_too_large');
  });

  it('gives up when its script makes it too large', async () => {
    const site = await startPages({ '/': '<script>document.write("<p>" + "é".repeat(60000))</script>' });
    const browser = await openBrowser({ limits: { maxSnapshotBytes: 100_000 } });
    expect(codeOf(await load(browser, site.url))).toBe('decoded_too_large');
  });

  it('does not hang on dialogs, and closes what it opens', async () => {
    const site = await startPages({
      '/': '<script>alert(1); confirm(2); open("/other"); document.title = "on"</script>',
      '/other': 'popup',
    });
    expect(text(await load(await sharedBrowser(), site.url))).toContain('<title>on</title>');
    expect(text(await load(await sharedBrowser(), site.url))).toContain('<title>on</title>');
  });

  it.each(['for (;;);', 'onload = () => { for (;;); }'])(
    'that never stops its script costs one load, not the browser (%s)',
    async (script) => {
      const site = await startPages({ '/spin': `<script>${script}</script>`, '/ok': 'fine' });
      // Time stands still after that: the next load may take what it takes.
      let stoppedAt: number | undefined;
      const clock: Clock = {
        now: () => systemClock.now(),
        monotonic: () => stoppedAt ?? systemClock.monotonic(),
        sleep: (ms, signal) => systemClock.sleep(ms, signal),
      };
      const browser = await openBrowser({ clock, timeouts: { totalMs: 1_500 } });
      expect(codeOf(await load(browser, `${site.url}/spin`))).toBe('total_timeout');
      stoppedAt = clock.monotonic();
      expect(text(await load(browser, `${site.url}/ok`))).toContain('fine');
    },
  );
});

describe('the way to a page', () => {
  it('is reported hop by hop', async () => {
    const court = closing(await startCourt({ seed: 7, highest: 20, redirectMissing: [[5, 5]] }));
    const { admit, asked } = recordingAdmit();
    const result = answer(await load(await sharedBrowser(), `${court.url}/case/5`, { admit }));
    expect(result.url).toBe(`${court.url}/search?notfound=1`);
    expect(result.hops).toMatchObject([{ url: `${court.url}/case/5`, status: 302, remoteAddress: '127.0.0.1' }]);
    expect(headerValue(result.hops[0]?.headers ?? [], 'location')).toBe('/search?notfound=1');
    expect(asked.map(({ kind, url }) => [kind, new URL(url).pathname])).toEqual([
      ['document', '/case/5'],
      ['document', '/search'],
    ]);
    expect(asked.map(({ end }) => end)).toMatchObject([{ status: 302 }, { status: 200 }]);
  });

  it.each([
    ['a script', '<script>location = "/end"</script>'],
    ['a script after the load', '<script>onload = () => { location = "/end" }</script>'],
    ['a refresh', '<meta http-equiv="refresh" content="0; url=/end">'],
  ])('leads on by %s', async (_how, page) => {
    const site = await startPages({ '/': page, '/end': '<h1>the end</h1>' });
    const result = await load(await sharedBrowser(), site.url);
    expect(text(result)).toContain('the end');
    expect(answer(result)).toMatchObject({
      url: `${site.url}/end`,
      status: 200,
      hops: [{ url: `${site.url}/`, status: 200 }],
    });
  });

  it.each([
    ['an answer without content', 'location = "/nothing"'],
    ['another program', 'location = "mailto:clerk@court.example"'],
    ['a page of the browser’s own', 'location = "chrome://crash"'],
    ['nowhere: it stopped itself', 'stop()'],
  ])('stays when a script leads to %s', async (_where, script) => {
    const site = await startPages({ '/': `<h1>stays</h1><script>${script}</script>`, '/nothing': reply(204, '') });
    const result = await load(await sharedBrowser(), site.url);
    expect(text(result)).toContain('<h1>stays</h1>');
    expect(answer(result)).toMatchObject({ url: `${site.url}/`, status: 200 });
  });

  it.each(['"about:blank"', 'URL.createObjectURL(new Blob(["x"], { type: "text/html" }))'])(
    'does not end at a page that no site sent (%s)',
    async (where) => {
      const site = await startPages({ '/': `<script>location = ${where}</script>` });
      expect(codeOf(await load(await sharedBrowser(), site.url))).toBe('navigation_failed');
    },
  );

  it('ends at the address that a script wrote there', async () => {
    const site = await startPages({ '/': '<script>history.pushState(null, "", "/pretty#x")</script>here' });
    const result = await load(await sharedBrowser(), site.url);
    expect(answer(result)).toMatchObject({ url: `${site.url}/pretty#x`, status: 200, hops: [] });
    expect(text(result)).toContain('here');
  });

  it('ends when it goes in a circle, or where no way goes on', async () => {
    const site = await startPages({
      '/redirect': reply(302, '', { location: '/redirect' }),
      '/script': '<script>location.reload()</script>',
      '/file': reply(302, '', { location: 'file:///etc/passwd' }),
      '/nowhere': reply(302, 'Moved'),
    });
    // Again and again: Chromium may ask before the redirect is over, or after.
    for (const path of [...Array<string>(10).fill('/redirect'), '/script', '/file', '/nowhere']) {
      expect([path, codeOf(await load(await sharedBrowser(), site.url + path))]).toEqual([path, 'bad_redirect']);
    }
  });

  it('takes a cookie round to the same address', async () => {
    const site = await startPages({
      '/': ({ headers }) =>
        headers.cookie === 'seen=1' ? reply(200, 'welcome') : reply(302, '', { location: '/', 'set-cookie': 'seen=1' }),
    });
    const result = await load(await sharedBrowser(), site.url, { session: 'circle' });
    expect(text(result)).toContain('welcome');
    expect(answer(result).hops).toMatchObject([{ status: 302 }]);
  });

  it.each([
    ['connect_refused', { kind: 'down', how: 'refuse' }],
    ['reset_before_answer', { kind: 'reset' }],
  ] as const)('fails as plain HTTP does when the site is down (%s)', async (code, fault) => {
    const site = await startPages({ '/': 'here' });
    site.faults.set(fault);
    const { admit, asked } = recordingAdmit();
    expect(codeOf(await load(await sharedBrowser(), site.url, { admit }))).toBe(code);
    expect(asked).toMatchObject([{ end: { kind: 'failure', code } }]);
  });

  it('fails when the page is cut short', async () => {
    const site = await startPages({ '/': `<p>${'a'.repeat(100_000)}</p>` });
    site.faults.set({ kind: 'truncate', missingBytes: 100 });
    expect(await load(await sharedBrowser(), site.url)).toMatchObject({
      code: 'body_cut_short',
      head: { status: 200 },
    });
  });

  it('ends when the server falls silent', async () => {
    const site = await startPages({ '/': 'here' });
    site.faults.set({ kind: 'silent' });
    const browser = await openBrowser({ timeouts: { idleMs: 300 } });
    expect(codeOf(await load(browser, site.url))).toBe('headers_timeout');
  });
});

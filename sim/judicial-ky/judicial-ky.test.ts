import { DomUtils, parseDocument } from 'htmlparser2';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { CORPUS_VERSIONS } from './corpus.ts';
import { indexCsv } from './index-row.ts';
import { type JudicialKyOptions, type RunningJudicialKy, startJudicialKy } from './judicial-ky.ts';
import { Visitor } from './sample-visitor.ts';

let running: RunningJudicialKy | undefined;
afterEach(async () => {
  await running?.close();
});

async function start(options: JudicialKyOptions = {}) {
  const site = await startJudicialKy({ seed: 7, cases: 60, ...options });
  running = site;
  const visitor = new Visitor(site);
  const token = site.corpus.cases[30]?.token ?? '';
  return { site, visitor, token };
}

describe('the way to a file', () => {
  it('leads over page, nonce, cookie and AJAX to the bytes of this case', async () => {
    const { site, visitor } = await start();
    await visitor.visit();
    for (const { token } of site.corpus.active('v1')) {
      const url = await visitor.addressOf(token);
      expect(url.startsWith(`${site.boxUrl}/d/1/`)).toBe(true);
      const file = await visitor.get(url);
      expect(file.bytes.equals(site.corpus.pdf(token))).toBe(true);
      expect(file.headers).toMatchObject({
        'content-type': 'application/pdf',
        'content-length': String(file.bytes.length),
        'content-disposition': `attachment; filename="${token}.pdf"`,
      });
    }
  });

  it('can be followed in the logs, by token', async () => {
    const { site, visitor, token } = await start();
    await visitor.visit();
    await visitor.get(await visitor.addressOf(token));
    const steps = [...site.log.entries, ...site.box.log.entries];
    expect(steps.map(({ method, path, token: about, status }) => [method, path, about, status])).toEqual([
      ['GET', '/judgments/unreported-judgments/', null, 200],
      ['POST', '/wp-admin/admin-ajax.php', token, 200],
      ['GET', expect.stringMatching(/^\/d\/1\/b1!/), token, 200],
    ]);
  });

  it('gives another address each time, and slashes escaped', async () => {
    const { visitor, token } = await start();
    await visitor.visit();
    const first = await visitor.ask(token);
    expect(first.text).toMatch(
      /^\{"success":true,"data":\{"fid":"http:\\\/\\\/127\.0\.0\.1:\d+\\\/d\\\/1\\\/[^/]+\\\/download"\}\}$/,
    );
    expect((await visitor.ask(token)).text).not.toBe(first.text);
  });

  it('is the same on the same seed and clock', async () => {
    const addresses = async () => {
      const { site, visitor, token } = await start({ clock: new FakeClock() });
      await visitor.visit();
      const { pathname } = new URL(await visitor.addressOf(token));
      await site.close();
      return { pathname, nonce: visitor.nonce, cookie: visitor.cookie };
    };
    expect(await addresses()).toEqual(await addresses());
  });

  it.each([
    ['no cookie', { headers: { cookie: '' } }],
    ['a made-up cookie', { headers: { cookie: 'pdb-sess=1.0123456789abcdef' } }],
    ['a wrong nonce', { security: '0123456789' }],
    ['no X-Requested-With', { headers: { 'x-requested-with': '' } }],
    ['a foreign origin', { headers: { origin: 'http://example.org' } }],
    ['a foreign page', { headers: { referer: 'http://example.org/' } }],
  ])('ends at AJAX with %s', async (_what, changes) => {
    const { site, visitor, token } = await start();
    await visitor.visit();
    expect(await visitor.ask(token, changes)).toMatchObject({ status: 403, text: '-1' });
    site.configure({ refusalStatus: 200 });
    expect(await visitor.ask(token, changes)).toMatchObject({ status: 200, text: '-1' });
  });

  it.each([{ fname: 'FSD0000' }, { fid: '1' }])('needs a token and a number of one button: not %j', async (changes) => {
    const { visitor, token } = await start();
    await visitor.visit();
    expect(JSON.parse((await visitor.ask(token, changes)).text)).toMatchObject({ success: false });
  });

  it('is POST and dl_bfile', async () => {
    const { site, visitor } = await start();
    expect(await visitor.get(site.ajaxUrl)).toMatchObject({ status: 400, text: '0' });
  });
});

describe('a nonce', () => {
  it('is good for this tick and the next', async () => {
    const { site, visitor, token } = await start({ clock: new FakeClock(), nonceTickMs: 1_000 });
    await visitor.visit();
    site.advance(1_999);
    expect((await visitor.ask(token)).status).toBe(200);
    site.advance(1);
    expect((await visitor.ask(token)).status).toBe(403);
    await visitor.visit();
    expect((await visitor.ask(token)).status).toBe(200);
  });

  it('is worthless after a rotation; the session is not', async () => {
    const { site, visitor, token } = await start();
    await visitor.visit();
    site.rotateNonce();
    expect((await visitor.ask(token)).status).toBe(403);
    expect((await visitor.visit()).headers['set-cookie']).toBeUndefined();
    expect((await visitor.ask(token)).status).toBe(200);
  });

  it.each(['ajax_nonce', 'security', '_nonce'] as const)('may be called %s', async (nonceName) => {
    const { visitor } = await start({ nonceName });
    expect((await visitor.visit()).text).toMatch(
      new RegExp(`^var bfile = \\{.*"${nonceName}":"[0-9a-f]{10}"\\};$`, 'm'),
    );
  });
});

describe('a signed address', () => {
  it.each([401, 403, 404, 410] as const)('is answered with %i when its life is over', async (expiredStatus) => {
    const { site, visitor, token } = await start({ clock: new FakeClock(), expiredStatus });
    await visitor.visit();
    const url = await visitor.addressOf(token);
    site.advance(15 * 60_000 - 1);
    expect((await visitor.get(url)).status).toBe(200);
    site.advance(1);
    expect((await visitor.get(url)).status).toBe(expiredStatus);
    expect((await visitor.get(await visitor.addressOf(token))).status).toBe(200);
  });

  it('ages on the clock of the tests', async () => {
    const clock = new FakeClock();
    const { visitor, token } = await start({ clock, urlLifeMs: 5_000 });
    await visitor.visit();
    const url = await visitor.addressOf(token);
    await clock.advance(5_000);
    expect((await visitor.get(url)).status).toBe(403);
  });

  it('cannot be forged', async () => {
    const { visitor, token } = await start();
    await visitor.visit();
    const url = await visitor.addressOf(token);
    expect((await visitor.get(url.replace('b1!', 'b1!A'))).status).toBe(404);
  });

  it('gives parts of the file', async () => {
    const { site, visitor, token } = await start();
    await visitor.visit();
    const part = await visitor.get(await visitor.addressOf(token), { range: 'bytes=100-199' });
    expect(part).toMatchObject({ status: 206, headers: { 'content-length': '100' } });
    expect(part.bytes.equals(site.corpus.pdf(token).subarray(100, 200))).toBe(true);
  });
});

describe('the index', () => {
  it.each(CORPUS_VERSIONS)('is that of %s, with validators', async (version) => {
    const { site, visitor } = await start();
    site.travelTo(version);
    const { text, headers } = await visitor.get(site.csvUrl);
    expect(text).toBe(indexCsv(site.corpus.rows(version)));
    expect(headers).toMatchObject({ 'content-type': 'text/csv', etag: expect.anything() });
    for (const [header, value] of [
      ['if-none-match', headers.etag],
      ['if-modified-since', headers['last-modified']],
    ]) {
      expect((await visitor.get(site.csvUrl, { [String(header)]: String(value) })).status).toBe(304);
    }
  });

  it('is another file after a journey', async () => {
    const { site, visitor } = await start();
    const { headers } = await visitor.get(site.csvUrl);
    site.travelTo('v2');
    expect((await visitor.get(site.csvUrl, { 'if-none-match': String(headers.etag) })).status).toBe(200);
    expect((await visitor.get(site.csvUrl, { 'if-modified-since': String(headers['last-modified']) })).status).toBe(
      200,
    );
  });
});

describe('the register', () => {
  it('has every row of the index and a button for every token', async () => {
    const { site, visitor } = await start();
    const dom = parseDocument((await visitor.visit()).text);
    const table = DomUtils.getElementById('judgment-registers', dom);
    if (table === null) throw new Error('no table');
    const rows = site.corpus.rows('v1');
    expect(DomUtils.getElementsByTagName('tr', table)).toHaveLength(rows.length + 1);
    const buttons = DomUtils.getElementsByTagName('button', table).map(({ attribs }) => [
      attribs['data-dl'],
      attribs['data-fid'],
    ]);
    const expected = rows.flatMap(({ tokens }) => tokens.map((token) => [token, site.corpus.find(token)?.fid]));
    expect(buttons).toEqual(expected);
  });

  it('follows the index: what was removed can no longer be asked for, what was added can', async () => {
    const { site, visitor } = await start();
    const { added, removed } = site.corpus;
    await visitor.visit();
    const successOf = async (token = '') => JSON.parse((await visitor.ask(token)).text).success;
    expect([await successOf(added[0]?.token), await successOf(removed[0]?.token)]).toEqual([false, true]);
    site.travelTo('v2');
    expect([await successOf(added[0]?.token), await successOf(removed[0]?.token)]).toEqual([true, false]);
    site.travelTo('v3');
    expect([await successOf(removed[0]?.token), await successOf(removed[1]?.token)]).toEqual([true, false]);
  });
});

describe('the second listing', () => {
  it('can be walked by its next links and names each case once, ten a page', async () => {
    const { site, visitor } = await start({ cases: 95 });
    const seen: string[][] = [];
    let path: string | undefined = '/judgments/unreported-judgments-advanced-search/?listpage=1&instance=1';
    while (path !== undefined) {
      const { text } = await visitor.get(site.url + path);
      expect(text).toContain('Total Records Found: 95,');
      const dom = parseDocument(text);
      seen.push(DomUtils.getElementsByTagName('button', dom).map(({ attribs }) => attribs['data-dl'] ?? ''));
      path = DomUtils.getElementsByTagName('a', dom).find(({ attribs }) => attribs.rel === 'next')?.attribs.href;
    }
    expect(seen.map(({ length }) => length)).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 5]);
    expect(seen.flat()).toEqual(site.corpus.active('v1').map(({ token }) => token));
  });

  it('is empty beyond its end', async () => {
    const { site, visitor } = await start();
    const { text } = await visitor.get(
      `${site.url}/judgments/unreported-judgments-advanced-search/?listpage=7&instance=1`,
    );
    expect(text).toContain('No Records Found');
    expect(text).not.toContain('rel="next"');
  });
});

describe('robots.txt', () => {
  it('is as WordPress has it, or as told; Box has none', async () => {
    const { site, visitor } = await start();
    expect((await visitor.get(`${site.url}/robots.txt`)).text).toContain('Allow: /wp-admin/admin-ajax.php');
    site.setRobots('User-agent: *\nDisallow: /\n');
    expect((await visitor.get(`${site.url}/robots.txt`)).text).toContain('Disallow: /\n');
    site.setRobots(null);
    expect((await visitor.get(`${site.url}/robots.txt`)).status).toBe(404);
    expect((await visitor.get(`${site.boxUrl}/robots.txt`)).status).toBe(404);
  });
});

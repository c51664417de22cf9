import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RawAnswer, rawGet } from '../raw-get.ts';
import { type RunningJudicialKy, startJudicialKy } from './judicial-ky.ts';
import { Visitor } from './sample-visitor.ts';
import { isSwitchName, SWITCHES, type SwitchName } from './switches.ts';

let site: RunningJudicialKy;
let visitor: Visitor;
let token: string;

beforeEach(async () => {
  site = await startJudicialKy({ seed: 7, cases: 60 });
  visitor = new Visitor(site);
  token = site.corpus.cases[30]?.token ?? '';
  await visitor.visit();
});
afterEach(() => site.close());

const page = () => visitor.visit();
const csv = () => visitor.get(site.csvUrl);
const ajax = () => visitor.ask(token);
const pdf = async () => visitor.get(await visitor.addressOf(token));
const html = expect.stringMatching(/^<!doctype html>/);

/** What each switch shows to whoever asks for its thing. */
const EXPECTED: Readonly<Record<SwitchName, readonly [() => Promise<object>, object]>> = {
  'page-stale-nonce': [
    page,
    { status: 200, headers: { 'x-cache': 'HIT' }, text: expect.stringContaining('ajax_nonce') },
  ],
  'page-redesigned': [page, { status: 200, text: expect.not.stringMatching(/judgment-registers|nonce/) }],
  'page-covered': [page, { status: 200, text: expect.stringContaining('position:fixed;inset:0') }],
  'csv-503': [csv, { status: 503 }],
  'csv-html': [csv, { status: 200, text: html }],
  'csv-header-only': [csv, { status: 200, text: expect.stringMatching(/^\uFEFFNeutral Citation,[^\n]*,Actions\r\n$/) }],
  'csv-half': [csv, { status: 200, text: expect.not.stringMatching(/\r\n$/) }],
  'ajax-403': [ajax, { status: 403, text: '-1' }],
  'ajax-minus-one': [ajax, { status: 200, text: '-1' }],
  'ajax-refused': [ajax, { status: 200, text: expect.stringContaining('"success":false') }],
  'ajax-html': [ajax, { status: 200, text: html }],
  'ajax-empty': [ajax, { status: 200, text: '' }],
  'ajax-no-url': [ajax, { status: 200, text: '{"success":true,"data":{}}' }],
  'ajax-bad-url': [ajax, { status: 200, text: '{"success":true,"data":{"fid":"about:blank"}}' }],
  'ajax-429': [ajax, { status: 429, headers: { 'retry-after': '1' } }],
  'ajax-500': [ajax, { status: 500 }],
  'ajax-reset': [
    () => ajax().catch(({ code }) => ({ code })),
    { code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) },
  ],
  'nonce-rotated': [ajax, { status: 403, text: '-1' }],
  'cookie-lost': [ajax, { status: 403, text: '-1' }],
  'url-expired': [pdf, { status: 403 }],
  'pdf-202': [pdf, { status: 202, headers: { 'retry-after': '1' }, text: '' }],
  'pdf-redirect': [pdf, { status: 302, headers: { location: expect.stringMatching(/^\/d\/1\/.*\/download\?rd=1$/) } }],
  'pdf-401': [pdf, { status: 401 }],
  'pdf-403': [pdf, { status: 403 }],
  'pdf-404': [pdf, { status: 404 }],
  'pdf-429': [pdf, { status: 429, headers: { 'retry-after': '1' } }],
  'pdf-500': [pdf, { status: 500 }],
  'pdf-slow': [pdf, { status: 200, text: expect.stringMatching(/%%EOF\n$/) }],
  'pdf-reset': [
    async () => rawGet(await visitor.addressOf(token)),
    { end: 'ECONNRESET', body: expect.objectContaining({ length: 700 }) },
  ],
  'pdf-truncated': [async () => missing(await rawGet(await visitor.addressOf(token))), { missingBytes: 100 }],
  'pdf-html': [pdf, { status: 200, text: html }],
  'pdf-half': [pdf, { status: 200, text: expect.not.stringContaining('%%EOF') }],
  'pdf-tiny': [pdf, { status: 200, headers: { 'content-type': 'application/pdf' }, text: '%PDF-1.4\n%%EOF\n' }],
};

function missing({ head, body }: RawAnswer): { readonly missingBytes: number } {
  return { missingBytes: Number(/content-length: (\d+)/.exec(head)?.[1]) - body.length };
}

describe('a switch', () => {
  it.each(Object.keys(SWITCHES).filter(isSwitchName))(
    '%s does what it says, once, and then all is well',
    async (name) => {
      const [look, seen] = EXPECTED[name];
      site.switchOn(name, { count: 1 });
      expect(await look()).toMatchObject(seen);
      await visitor.visit();
      expect((await pdf()).bytes).toEqual(site.corpus.pdf(token));
      expect((await csv()).text).toMatch(/\r\n$/);
      expect([...site.faults.active(), ...site.box.faults.active()]).toEqual([]);
    },
  );

  it('strikes only the case it is for', async () => {
    const other = site.corpus.cases[31]?.token ?? '';
    site.switchOn('ajax-500', { token });
    site.switchOn('pdf-404', { token: other });
    expect((await ajax()).status).toBe(500);
    expect((await visitor.get(await visitor.addressOf(other))).status).toBe(404);
    await site.faults.clear();
    expect((await pdf()).status).toBe(200);
  });

  it('waits for its turn', async () => {
    site.switchOn('nonce-rotated', { after: 2, count: 1 });
    expect([(await ajax()).status, (await ajax()).status, (await ajax()).status]).toEqual([200, 200, 403]);
  });
});

describe('a page cache', () => {
  it('gives a nonce that is refused, until it is passed by with a query', async () => {
    site.switchOn('page-stale-nonce');
    await visitor.visit();
    await visitor.visit();
    expect(await ajax()).toMatchObject({ status: 403, text: '-1' });
    await visitor.visit(`${site.pageUrl}?fresh=1`);
    expect((await ajax()).status).toBe(200);
  });
});

describe('a lost cookie', () => {
  it('needs a new session, which the page gives', async () => {
    const before = visitor.cookie;
    site.switchOn('cookie-lost', { count: 1 });
    await ajax();
    expect((await ajax()).status).toBe(403);
    await visitor.visit();
    expect(visitor.cookie).not.toBe(before);
    expect((await ajax()).status).toBe(200);
  });
});

describe('a redirect', () => {
  it('leads to the file', async () => {
    site.switchOn('pdf-redirect');
    const { headers } = await pdf();
    expect((await visitor.get(site.boxUrl + headers.location)).bytes).toEqual(site.corpus.pdf(token));
  });
});

describe('addresses that expire before use', () => {
  it('are the share asked for, the same in whatever order they are asked for', async () => {
    const tokens = site.corpus.active('v1').map((one) => one.token);
    const expired = async (order: readonly string[]) => {
      const { id } = site.switchOn('url-expired', { rate: 0.3 });
      const found: string[] = [];
      for (const one of order) if ((await visitor.get(await visitor.addressOf(one))).status === 403) found.push(one);
      await site.faults.clear(id);
      return { id, found: found.sort() };
    };
    const first = await expired(tokens);
    await site.close();
    site = await startJudicialKy({ seed: 7, cases: 60 });
    visitor = new Visitor(site);
    await visitor.visit();
    expect(await expired([...tokens].reverse())).toEqual(first);
    expect(first.found.length).toBeGreaterThan(8);
    expect(first.found.length).toBeLessThan(28);
  });
});

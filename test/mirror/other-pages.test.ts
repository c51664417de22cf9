// The court's page, its answers and its file server as they may be one day: what still leads to a file leads there, and
// what leads elsewhere is not followed.

import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { ScrapeOptions } from '../../src/mirror/scrape-options.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { mirror } from './mirror-process.ts';
import { pdfOf } from './mirror-setup.ts';
import { codesSeen, filesIn, logOf, scrapeAt, startSite } from './scrape-setup.ts';
import { listen, NONCE, type StrangeOptions, startStrangeCourt, tokenOf } from './strange-court.ts';

const scratch = scratchDirectory();
const data = () => scratch('data');
const TOKENS = ['FSD0001', 'FSD0002', 'FSD0003'];
const BUTTONS = TOKENS.map((token, at) => `<button data-dl="${token}" data-fid="${at}"></button>`).join('');
const OBJECT = (nonce: string) => `<script>var bfile = {"ajax_url":"/x","security":"${nonce}"};</script>`;
const DECOY = `<script>var wpApiSettings = {"root":"/wp-json/","nonce":"ffffffffff"};</script>`;

async function mirrorOf(options: Partial<StrangeOptions>, more: Partial<ScrapeOptions> = {}) {
  const court = await startStrangeCourt({ tokens: TOKENS, page: (nonce) => BUTTONS + OBJECT(nonce), ...options });
  const summary = await scrapeAt(data(), {}, { ...more, env: { ...court.env, ...more.env } });
  return { court, summary };
}

describe('a page of another build', () => {
  it.for<[string, (nonce: string) => string]>([
    ['a hidden input', (nonce) => `${DECOY}${BUTTONS}<input type="hidden" name="_wpnonce" value="${nonce}">`],
    ['a data attribute', (nonce) => `${DECOY}<div data-nonce="${nonce}">${BUTTONS}</div>`],
    ['an object of another name', (nonce) => `${DECOY}${BUTTONS}<script>let cfg={x:1,nonce:'${nonce}'}</script>`],
    ['its buttons', (nonce) => BUTTONS.replaceAll('data-fid', `data-nonce="${nonce}" data-fid`)],
  ])('with the nonce in %s is read', async ([, page]) => {
    const { court, summary } = await mirrorOf({ page });
    expect(summary).toMatchObject({ downloadsCompleted: 3, errorCounts: {} });
    expect(court.forms.map((form) => form.get('security'))).toEqual([NONCE, NONCE, NONCE]);
  });

  it('with several nonces of one name is asked with each until one is accepted, and then with that', async () => {
    const decoys = ['1111111111', '2222222222'].map((nonce) => `<script>var a = {"security":"${nonce}"}</script>`);
    const { court, summary } = await mirrorOf({ page: (nonce) => decoys.join('') + BUTTONS + OBJECT(nonce) });
    expect(summary).toMatchObject({ downloadsCompleted: 3, errorCounts: {} });
    expect(court.forms.map((form) => form.get('security')).slice(-3)).toEqual([NONCE, NONCE, NONCE]);
    expect(court.forms.length).toBeLessThanOrEqual(6);
  });

  it('whose nonces are all refused costs a bounded number of calls', async () => {
    const page = () => BUTTONS + Array.from({ length: 9 }, (_, at) => OBJECT(String(at).repeat(10))).join('');
    const { court, summary } = await mirrorOf({ page }, {});
    expect(summary).toMatchObject({ downloadsCompleted: 0, errorCounts: { ajax_403: 3 } });
    // Once all that may be tried, then two for each attempt.
    expect(court.forms.length).toBeLessThanOrEqual(6 + 2 * 2 * 3);
  });

  it.for(['http', 'browser'] as const)('without a button for a case is asked by its token (%s)', async (client) => {
    const table = `<table id="judgment-registers"><tr><td>${BUTTONS.replace(/<button data-dl="FSD0002".*?<\/button>/, '')}</td></tr></table>
      <div class="dt-length"><select><option value="-1">All</option></select></div>
      <script>document.addEventListener('click', ({ target }) => fetch('/wp-admin/admin-ajax.php', { method: 'POST',
        body: new URLSearchParams({ action: 'dl_bfile', fname: target.dataset.dl, fid: target.dataset.fid, security: '${NONCE}' }) }));</script>`;
    const { court, summary } = await mirrorOf({ page: (nonce) => table + OBJECT(nonce) }, { client });
    expect(summary).toMatchObject({ downloadsCompleted: 3, errorCounts: {} });
    const form = court.forms.find((one) => one.get('fname') === 'FSD0002');
    expect([form?.get('security'), form?.get('fid')]).toEqual([NONCE, '']);
  });
});

describe('an answer of another build', () => {
  it.for<[string, (address: string) => string]>([
    ['data.url', (url) => JSON.stringify({ success: true, data: { url } })],
    ['data', (data) => JSON.stringify({ success: true, data })],
    ['url', (url) => JSON.stringify({ url })],
    ['an anchor', (url) => `<p><a href="/">Home</a> <a href='${url}'>PDF</a></p>`],
    ['a bare address', (url) => `${url}\n`],
  ])('leads to the file: %s', async ([, answer]) => {
    expect((await mirrorOf({ answer })).summary).toMatchObject({ downloadsCompleted: 3, errorCounts: {} });
  });
});

describe('a file server that is none of the court', () => {
  async function startEvil(): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = [];
    const url = await listen((request: IncomingMessage, response) => {
      asked.push(request.url ?? '');
      response.end(pdfOf(`forged ${tokenOf(request)}`));
    });
    return { url, asked };
  }

  it('is not asked when an answer names it', async () => {
    const evil = await startEvil();
    const { summary } = await mirrorOf({
      answer: () => JSON.stringify({ success: true, data: { fid: `${evil.url}/d/x` } }),
    });
    expect(summary).toMatchObject({ downloadsCompleted: 0, errorCounts: { invalid_box_url: 3 } });
    expect([evil.asked, filesIn(data())]).toEqual([[], {}]);
    expect(logOf(data())).toContain('BAILIIKC_UJ_FILE_HOSTS');
  });

  it('is not asked when the file server sends there, on the first hop or a later one', async () => {
    const evil = await startEvil();
    const { summary } = await mirrorOf({
      box: (request, response) => {
        const hop = request.url?.includes('hop') ? `${evil.url}/d/x` : `${request.url}?hop`;
        response.writeHead(302, { location: tokenOf(request) === 'FSD0002' ? hop : `${evil.url}/d/y` }).end();
      },
    });
    expect(summary).toMatchObject({ downloadsCompleted: 0, errorCounts: { invalid_box_url: 3 } });
    expect([evil.asked, filesIn(data())]).toEqual([[], {}]);
    // Once more with a new address, and no more.
    expect(await codesSeen(data())).toEqual({ invalid_box_url: 6 });
  });

  it('is every server that is not Box, unless it is named: also the simulated one', async () => {
    const site = await startSite({ cases: 40 });
    const env = {
      BAILIIKC_UJ_BASE_URL: site.url,
      BAILIIKC_MIN_FREE_MB: '1',
      PLAYWRIGHT_RETRY_AFTER_SWEEP_SECONDS: '0',
    };
    const args = ['run', '--limit', '1', '--rate', 'off', '--delay', '0', '--allow-host', '127.0.0.1'];
    const refused = await mirror(data(), args, env);
    expect([refused.code, refused.stdout]).toMatchObject([1, expect.stringMatching(/1 invalid_box_url/)]);
    expect(site.box.log.entries).toEqual([]);
    expect(await mirror(data(), args, { ...env, BAILIIKC_UJ_FILE_HOSTS: site.boxUrl })).toMatchObject({ code: 0 });
    const wrong = await mirror(data(), args, { ...env, BAILIIKC_UJ_FILE_HOSTS: 'box.com/x' });
    expect([wrong.code, wrong.stderr]).toMatchObject([2, expect.stringContaining('BAILIIKC_UJ_FILE_HOSTS must be')]);
  });
});

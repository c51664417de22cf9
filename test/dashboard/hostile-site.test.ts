// What a hostile site says is shown as text and does nothing: no dialog, no script of its own, no link that runs.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { CSV_PATH } from '../../sim/judicial-ky/paths.ts';
import type { Handler } from '../../sim/reply.ts';
import { startSite } from '../../sim/site.ts';
import { deadLetter, deadLetterLine } from '../../src/fetcher/dead-letter.ts';
import { FetcherLedger } from '../../src/ledger/fetcher/fetcher-ledger.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, runArguments } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { mirror } from '../mirror/mirror-process.ts';
import { envOf } from '../mirror/scrape-setup.ts';
import { openPage, serve } from './dashboard-setup.ts';

const scratch = scratchDirectory();
const SCRAPER = fileURLToPath(new URL('scrapers/hostile.ts', import.meta.url));

const IMAGE = '<img src=x onerror="window.pwned=1;alert(1)">';
const SCRIPT = '"><script>window.pwned=2;alert(2)</script>';
const SVG = "'><svg onload=alert(3)>";
const FILE_NAME = '<img src=x onerror=alert(4)>.html';

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** Pages whose titles, addresses and file names are attacks. */
const hostile: Handler = ({ pathname, search }) => {
  const html = (body: string, status = 200) => ({ status, headers: { 'content-type': 'text/html' }, body });
  const attack = decodeURIComponent(search.slice(2));
  switch (pathname) {
    case '/':
      return html(
        [IMAGE, SCRIPT, SVG].map((text) => `<a class=case href="/case?t=${encodeURIComponent(text)}">x</a>`).join('') +
          '<a class=case href="/broken?t=<img src=x onerror=alert(5)>">x</a><a class=pdf href="/file">x</a>',
      );
    case '/case':
      return html(`<script>window.pwned=6;alert(6)</script><h1>${escapeHtml(attack)}</h1>`);
    case '/broken':
      return html(`<h1>${escapeHtml(IMAGE)}</h1><p class=broken>`);
    case '/file':
      return {
        status: 200,
        headers: { 'content-type': 'image/svg+xml', 'content-disposition': `attachment; filename="${FILE_NAME}"` },
        body: '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(7)"/>',
      };
    default:
      return html('', 404);
  }
};

async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate('typeof globalThis.pwned')).toBe('undefined');
  expect(await page.locator('main img, main script, main svg[onload], main iframe').count()).toBe(0);
  const protocols = await page.evaluate<string[]>('[...document.links].map(({ protocol }) => protocol)');
  expect(new Set(protocols)).toEqual(new Set(['http:']));
}

it('titles, addresses, errors, file names and archived pages of a run', async () => {
  const site = closing(await startSite(hostile));
  const ended = await curlew(runArguments(SCRAPER, site, scratch('data')));
  expect(ended.code).toBe(1);
  const server = await serve(scratch('data'));
  const page = await openPage({ acceptDownloads: true });

  await page.goto(`${server.url}/runs/1/records`);
  for (const text of [IMAGE, SCRIPT, SVG]) await page.getByText(text, { exact: true }).first().waitFor();
  await expectHarmless(page);

  await page.goto(`${server.url}/runs/1`);
  await page.getByText(`cannot read ${IMAGE}`).first().waitFor();
  await expectHarmless(page);
  await page
    .locator('.problems')
    .getByRole('link', { name: /broken/ })
    .click();
  await page.locator('.story').getByText(`cannot read ${IMAGE}`).first().waitFor();
  await expectHarmless(page);

  // The archived page is only ever a download, and as text it stays text.
  const [archived] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('link', { name: /^Download/ })
      .first()
      .click(),
  ]);
  expect(await readFile(await archived.path(), 'utf8')).toContain('class=broken');
  const text = page.getByRole('link', { name: /Read as text/ }).first();
  await page.goto(server.url + (await text.getAttribute('href')));
  expect(await page.locator('h1').count()).toBe(0);

  await page.goto(`${server.url}/runs/1/requests?search=file`);
  await page.locator('.vrow', { hasText: '/file' }).getByRole('link').click();
  await page.getByRole('heading', { name: 'What happened to this one' }).waitFor();
  await page.locator('.story li').first().waitFor();
  await expectHarmless(page);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('link', { name: /^Download/ })
      .first()
      .click(),
  ]);
  expect(file.suggestedFilename()).not.toMatch(/[<>/\\]/);
});

it('cells of the index of a mirror', async () => {
  const site = closing(await startJudicialKy({ seed: 7, cases: 60 }));
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const header = 'Neutral Citation,Cause Number,Judgment Date,Title,Subject,Court,Category,Actions';
  const row = [IMAGE, SCRIPT, SVG, IMAGE, SCRIPT, SVG, 'Civil', 'FSD0001202501012025X'].map(cell).join(',');
  const body = `${header}\r\n${row}\r\n`;
  site.faults.set({ kind: 'status', status: 200, headers: { 'content-type': 'text/csv' }, body, path: CSV_PATH });
  const synced = await mirror(scratch('data'), ['sync', '--rate', 'off', '--allow-host', '127.0.0.1'], envOf(site));
  expect([synced.code, synced.stderr]).toEqual([0, expect.anything()]);
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(`${server.url}/cases`);
  await page.getByRole('link', { name: IMAGE }).waitFor();
  await expectHarmless(page);
  await page.getByRole('link', { name: IMAGE }).click();
  await page.getByRole('heading', { level: 1, name: IMAGE }).waitFor();
  await expectHarmless(page);
  expect(await page.title()).toContain(IMAGE);
  await page.goto(`${server.url}/report`);
  await page.getByRole('heading', { name: 'Why the rest is not held' }).waitFor();
  await expectHarmless(page);
});

it('dead letters whose addresses would run as a script', async () => {
  await curlew(['runs', '--data', scratch('data')]);
  const server = await serve(scratch('data'));
  const ledger = FetcherLedger.open(scratch('data'));
  for (const url of ['javascript:alert(8)', `http://records.example/${IMAGE}`]) {
    const letter = deadLetter({ url, reason: SCRIPT, status: 404, attempts: 1, first: 0, last: 0 });
    ledger.deadLetters.add({ url, host: 'records.example', reason: SCRIPT, line: deadLetterLine(letter) });
  }
  ledger.close();
  const page = await openPage();
  await page.goto(`${server.url}/dead-letters`);
  await page.getByText('javascript:alert(8)').waitFor();
  await expectHarmless(page);
  expect(await page.locator('.vrow', { hasText: 'javascript:' }).locator('a').count()).toBe(0);

  await page.getByRole('button', { name: /^Drop all/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Drop all' }).click();
  await page.getByText('No dead letters').waitFor();
});

it('a query of the dashboard itself', async () => {
  const server = await serve(scratch('data'));
  const page = await openPage();
  const attack = encodeURIComponent(IMAGE);
  for (const path of [
    `/cases?search=${attack}&run=${attack}`,
    `/start?what=${attack}`,
    `/cases/${attack}/${attack}`,
    `/${attack}`,
  ]) {
    await page.goto(server.url + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expectHarmless(page);
  }
  await page.goto(`${server.url}/login?next=javascript:alert(9)`);
  await page.getByRole('heading', { level: 1, name: 'Log in' }).waitFor();
});

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chromiumOrSkip } from '../../test/fixtures/services.ts';
import { type RunningJudicialKy, startJudicialKy } from './judicial-ky.ts';

const executablePath = await chromiumOrSkip();

let site: RunningJudicialKy;
let home: string;
let browser: Browser | undefined;
let page: Page;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'curlew-judicial-ky-'));
  if (executablePath === '') return;
  browser = await chromium.launch({
    executablePath,
    // The sandbox does not work for root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-gpu'],
    downloadsPath: join(home, 'downloads'),
    env: { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home },
  });
});
afterAll(async () => {
  await browser?.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(async () => {
  if (browser === undefined) return;
  site = await startJudicialKy({ seed: 7, cases: 120 });
  page = await browser.newPage();
});
afterEach(async () => {
  await page?.close();
  await site?.close();
});

const rows = () => page.locator('#judgment-registers tbody tr');
const tokensShown = () =>
  page
    .locator('#judgment-registers button[data-dl]')
    .evaluateAll((all) => all.map((one) => one.getAttribute('data-dl')));

describe('the page in Chromium', () => {
  it('shows 25 rows at a time, and every token can be reached by its next button', async () => {
    await page.goto(site.pageUrl);
    const total = site.corpus.rows('v1').length;
    expect(await rows().count()).toBe(25);
    expect(await page.locator('.dt-info').textContent()).toBe(`Showing 1 to 25 of ${total} entries`);
    const seen = await tokensShown();
    const next = page.locator('.dt-paging-button.next');
    while (!(await next.getAttribute('class'))?.includes('disabled')) {
      await next.click();
      seen.push(...(await tokensShown()));
    }
    expect(seen).toEqual(site.corpus.rows('v1').flatMap(({ tokens }) => tokens));
    expect(await page.locator('.dt-paging-button.current').textContent()).toBe(String(Math.ceil(total / 25)));
  });

  it('can show all rows, and search', async () => {
    await page.goto(site.pageUrl);
    await page.locator('.dt-length select').selectOption('-1');
    expect(await rows().count()).toBe(site.corpus.rows('v1').length);
    await page.locator('.dt-search input').fill('blue iguana');
    expect(await tokensShown()).toEqual([site.corpus.cases[15]?.token]);
  });

  it('gives the PDF of the row whose button is clicked, of a later page too, and stays', async () => {
    await page.goto(site.pageUrl);
    await page.locator('.dt-paging-button[data-dt-idx="2"], .dt-paging-button.last').last().click();
    const token = String((await tokensShown())[3]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator(`button[data-dl="${token}"]`).click(),
    ]);
    expect(await readFile(await download.path())).toEqual(site.corpus.pdf(token));
    expect(download.suggestedFilename()).toBe(`${token}.pdf`);
    expect(page.url()).toBe(site.pageUrl);
    expect(site.log.entries.map(({ path }) => path)).toEqual([
      '/judgments/unreported-judgments/',
      '/wp-admin/admin-ajax.php',
    ]);
    expect(site.box.log.entries.map((entry) => entry.token)).toEqual([token]);
  });

  it.each(['ajax-403', 'ajax-minus-one', 'ajax-refused', 'ajax-html', 'ajax-empty', 'ajax-no-url'] as const)(
    'says so when the answer is %s, and the button can be clicked again',
    async (name) => {
      await page.goto(site.pageUrl);
      site.switchOn(name, { count: 1 });
      const button = page.locator('button[data-dl]').first();
      await button.click();
      await page.locator('#dl-message:text("could not be downloaded")').waitFor();
      await Promise.all([page.waitForEvent('download'), button.click()]);
    },
  );

  it('cannot be clicked when it is covered', async () => {
    site.switchOn('page-covered');
    await page.goto(site.pageUrl);
    const click = page.locator('button[data-dl]').first().click({ timeout: 1_000 });
    await expect(click).rejects.toThrow('intercepts pointer events');
  });
});

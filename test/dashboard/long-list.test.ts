// A hundred thousand rows: only those in sight are drawn, every one can be reached, and coming back finds the place.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, runArguments } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { openPage, serve } from './dashboard-setup.ts';

const scratch = scratchDirectory();
const SCRAPER = fileURLToPath(new URL('../fixtures/scrapers/long-list.ts', import.meta.url));
const ROWS = 100_000;

it('are scrolled to their end, sorted, searched, and found again where they were left', async () => {
  const court = closing(await startCourt({ graphPages: 10 }));
  const params = ['--entry', 'list', '--param', 'requests=1', '--param', 'urgent=1', '--param', `records=${ROWS}`];
  const ended = await curlew([...runArguments(SCRAPER, court, scratch('data')), ...params]);
  expect([ended.code, ended.stderr]).toEqual([0, expect.anything()]);
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(`${server.url}/runs/1/records`);
  const table = page.getByRole('table', { name: 'Records of run 1' });
  const drawn = () => page.locator('.vscroll .vrow').count();
  await table.getByRole('link', { name: /^item 1:/ }).waitFor();
  expect(await drawn()).toBeLessThan(60);

  // As dragging the scroll bar does, until there is nothing further down.
  await expect
    .poll(
      async () => {
        await page.evaluate('document.querySelector(".vscroll").scrollTop = 1e9');
        return page.locator('.vtable-status').textContent();
      },
      { timeout: 60_000 },
    )
    .toMatch(/^100,000 records(?! so far)/);
  await table.getByRole('link', { name: new RegExp(`^item ${ROWS}:`) }).waitFor();
  expect(await drawn()).toBeLessThan(60);
  expect(await table.getAttribute('aria-rowcount')).toBe(String(ROWS + 1));

  await table.getByRole('link', { name: new RegExp(`^item ${ROWS}:`) }).click();
  await page.getByRole('heading', { name: 'What happened to this one' }).waitFor();
  await page.goBack();
  await table.getByRole('link', { name: new RegExp(`^item ${ROWS}:`) }).waitFor();

  await page.getByRole('button', { name: 'number' }).click();
  await page.getByRole('button', { name: 'number' }).click();
  await page.locator('.vscroll .vrow').first().getByText('99999').waitFor();
  expect(await page.evaluate('document.querySelector(".vscroll").scrollTop')).toBe(0);

  await page.getByLabel('Search').fill('54321');
  await expect.poll(() => page.locator('.vtable-status').textContent()).toMatch(/^1 record/);
  await page.locator('.vscroll').getByText('54321').waitFor();
});

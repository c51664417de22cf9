// What the page to start a run offers: only what can be started, and for the rest why not.

import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import type { AnswerOf } from '../../src/server/contract/routes.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { startMirror } from '../mirror/mirror-process.ts';
import { startSite } from '../mirror/scrape-setup.ts';
import { quietEnv } from '../server/server-setup.ts';
import { openPage, serve } from './dashboard-setup.ts';

const scratch = scratchDirectory();
const EXAMPLE = fileURLToPath(new URL('../../examples/county-court.ts', import.meta.url));

it('files that are no scrapers, or cannot be loaded, are not offered, and say why', async () => {
  await mkdir(scratch('scrapers'), { recursive: true });
  await copyFile(EXAMPLE, scratch('scrapers', 'good.ts'));
  await writeFile(scratch('scrapers', 'broken.ts'), 'export default class {');
  await writeFile(scratch('scrapers', 'selectors.ts'), 'export const TITLE = "h1";');
  const server = await serve(scratch('data'), { scrapers: scratch('scrapers') });
  const page = await openPage();
  await page.goto(`${server.url}/start`);
  const what = page.getByRole('region', { name: 'What' });
  await what.getByRole('button', { name: /good\.ts/ }).waitFor({ timeout: 60_000 });
  expect(await what.getByRole('button', { name: /broken|selectors/ }).count()).toBe(0);
  await what.getByText('2 others cannot be started now').click();
  const rest = what.locator('.cannot-start li');
  expect(await rest.filter({ hasText: 'broken.ts' }).textContent()).toMatch(/cannot be loaded.*Mend the file/s);
  expect(await rest.filter({ hasText: 'selectors.ts' }).textContent()).toMatch(/Mend the file/);
  // Nor is it by its address.
  await page.goto(`${server.url}/start?what=${encodeURIComponent(`scraper:${scratch('scrapers')}/broken.ts`)}`);
  await page.getByText(/broken\.ts cannot be started/).waitFor();
  expect(await page.locator('form').count()).toBe(0);
});

it('a mirror of which a run is on is not offered until that has ended', async () => {
  const site = await startSite({ cases: 40 });
  site.faults.set({ kind: 'hold' });
  const running = startMirror(site, scratch('data'));
  const server = await serve(scratch('data'));
  const runningNow = async () => {
    const answer = await fetch(`${server.url}/api/overview`);
    return ((await answer.json()) as AnswerOf<'overview'>).running;
  };
  await expect.poll(runningNow).toBe(1);
  const page = await openPage();
  await page.goto(`${server.url}/start?what=mirror%3Aunreported_judgments`);
  await page.getByText('Cayman Islands, unreported judgments cannot be started').waitFor({ timeout: 60_000 });
  await page.getByRole('link', { name: 'See how far it is' }).last().click();
  await page.locator('.page-head .badge', { hasText: 'running' }).waitFor();
  running.kill('SIGKILL');
  await running.ended;
  await page.goto(`${server.url}/start`);
  await page.getByRole('button', { name: /Cayman Islands/ }).click();
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
});

it('a mirror whose settings cannot be used is not offered', async () => {
  const server = await serve(scratch('data'), { env: quietEnv({ BAILIIKC_REPLAY_SKIP_NETWORK: '1' }) });
  const page = await openPage();
  await page.goto(`${server.url}/start`);
  await page.getByText('1 other cannot be started now').click({ timeout: 60_000 });
  await page.getByText(/BAILIIKC_REPLAY_SKIP_NETWORK is for replays/).waitFor();
});

it('a scraper of a site that does not exist is not started without another address', async () => {
  await mkdir(scratch('scrapers'), { recursive: true });
  const source = await readFile(EXAMPLE, 'utf8');
  await writeFile(
    scratch('scrapers', 'far.ts'),
    source.replace(/http:\/\/127\.0\.0\.1:8017/g, 'https://court.example'),
  );
  const server = await serve(scratch('data'), { scrapers: scratch('scrapers') });
  const page = await openPage();
  await page.goto(`${server.url}/start`);
  await page.getByRole('button', { name: /far\.ts/ }).click({ timeout: 60_000 });
  await page.getByText('court.example is only an example.').waitFor();
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Base address is needed.').waitFor();
  expect(new URL(page.url()).pathname).toBe('/start');
});

it('an example on the simulated court starts as the form is', async () => {
  const court = closing(await startCourt({ seed: 7, highest: 20 }));
  await mkdir(scratch('scrapers'), { recursive: true });
  const source = await readFile(EXAMPLE, 'utf8');
  await writeFile(scratch('scrapers', 'here.ts'), source.replace(/http:\/\/127\.0\.0\.1:8017/g, court.url));
  const server = await serve(scratch('data'), { scrapers: scratch('scrapers') });
  const page = await openPage();
  await page.goto(`${server.url}/start`);
  await page.getByRole('button', { name: /here\.ts/ }).click({ timeout: 60_000 });
  expect(await page.getByLabel('Private hosts to allow').inputValue()).toBe(new URL(court.url).host);
  await page.getByLabel('Rate').fill('off');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.locator('.page-head .badge', { hasText: 'completed' }).waitFor({ timeout: 60_000 });
  await page.locator('.page-head .badge', { hasText: 'ok' }).waitFor();
});

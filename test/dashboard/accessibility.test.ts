// Every page, with real data, light and dark, wide and narrow: axe finds nothing serious, nothing sticks out at the side,
// and the keyboard reaches what the mouse reaches.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeScenario, type Scenario } from '../../scripts/dashboard/scenario.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { openPage, serve } from './dashboard-setup.ts';

const scratch = scratchDirectory();
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let data = '';
let scenario: Scenario;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'curlew-scenario-'));
  scenario = await makeScenario(data);
});

afterAll(async () => {
  await scenario.close();
  await rm(data, { recursive: true, force: true });
});

/** Address, and what must be there before it is looked at. */
function pages(): [path: string, ready: string][] {
  const { walked, lists, sites, mirror, killed, going } = scenario.runs;
  return [
    ['/', '.attention'],
    ['/runs', '.vrow a'],
    [`/runs/${walked}`, '.gap-map'],
    [`/runs/${sites}`, '#start-pages'],
    [`/runs/${mirror}`, '.chart canvas'],
    [`/runs/${killed}`, '.troubles'],
    [`/runs/${going}`, '.events li'],
    [`/runs/${walked}/requests`, '.vrow a'],
    [`/runs/${walked}/requests/88`, '.story li'],
    [`/runs/${lists}/records`, '.vrow a'],
    [`/runs/${mirror}/requests`, '.vrow a'],
    ['/index', 'tbody tr'],
    ['/index/2', 'tbody tr'],
    ['/cases', '.vrow a'],
    [scenario.failedCase, '.story li'],
    ['/hosts', 'tbody tr'],
    ['/dead-letters', '.vrow a'],
    ['/start?what=scraper%3Aexamples%2Fnumbered-cases.ts', 'form'],
    ['/report', '.vrow a'],
    ['/runs/999', '.failure'],
    ['/nowhere', '.empty'],
  ];
}

/** Of a page that has axe. */
async function problemsOf(page: Page): Promise<string[]> {
  const { violations, passes } = await page.evaluate<AxeResults>('axe.run()');
  expect(passes.length).toBeGreaterThan(10);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary ?? ''}`));
}

it('can be used with the keyboard: the focus goes to the new page, and news do not take it away', async () => {
  const server = await serve(data);
  const page = await openPage();
  await page.goto(server.url);
  await page.locator('.attention').waitFor();
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the page');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Hosts' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Hosts' }).waitFor();
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
  expect(await page.title()).toBe('Hosts · Curlew');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

  // A run that goes on: its row is drawn anew every second, and stays the one that has the focus.
  const row = page.locator('.runs tbody tr', { hasText: `#${scenario.runs.going}` });
  await row.getByRole('link').focus();
  const element = await row.elementHandle();
  const before = await row.textContent();
  await expect.poll(() => row.textContent()).not.toBe(before);
  expect(await page.evaluate('document.activeElement.tagName')).toBe('A');
  expect(await element?.isVisible()).toBe(true);
});

/** Loaded as a phone, which has the least room; the others are the same page in another size or colour. */
const LOOKS = [
  { colorScheme: 'dark', width: 320, isAxed: true },
  { colorScheme: 'dark', width: 1280, isAxed: true },
  { colorScheme: 'light', width: 1280, isAxed: true },
  // Between a phone and a desk, where a table is the first to stick out.
  { colorScheme: 'light', width: 760, isAxed: false },
  { colorScheme: 'light', width: 1024, isAxed: false },
] as const;

it('no page has a serious problem, light or dark, wide or narrow', async () => {
  const server = await serve(data);
  const all = pages();
  await Promise.all(
    [0, 1].map((half) =>
      lookAt(
        server.url,
        all.filter((_, at) => at % 2 === half),
      ),
    ),
  );
});

async function lookAt(url: string, paths: ReturnType<typeof pages>): Promise<void> {
  const page = await openPage();
  for (const [path, ready] of paths) {
    for (const [at, { colorScheme, width, isAxed }] of LOOKS.entries()) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      if (at === 0) {
        await page.goto(url + path);
        await page.evaluate(axe);
      }
      await page.locator(ready).first().waitFor();
      // Sizes are measured, and what depends on them drawn, in the frame after a change.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      const look = `${path}, ${colorScheme}, ${width} pixels wide`;
      if (isAxed) expect([look, await problemsOf(page)]).toEqual([look, []]);
      const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect([look, beyond]).toEqual([look, 0]);
    }
  }
}

const TOKEN = 'the-right-token-of-the-server';
const READ_TOKEN = 'the-token-that-only-reads';
/** As others reach it. */
const shared = { token: TOKEN, readToken: READ_TOKEN, publicUrl: new URL('http://localhost') };

it('the login and its refusal have none either, and lead to the page that was asked for', async () => {
  const server = await serve(scratch('data'), shared);
  const page = await openPage();
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${server.url}/dead-letters`);
  const token = page.getByLabel('The token that the server was started with');
  await token.fill('wrong');
  // Nothing is asked for that would be refused.
  expect(asked.filter((path) => path.startsWith('/api/') && path !== '/api/session')).toEqual([]);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').getByText('That is not the token.').waitFor();
  await page.evaluate(axe);
  expect(await problemsOf(page)).toEqual([]);
  await token.fill(TOKEN);
  await token.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Dead letters' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/dead-letters');
  await page.getByRole('button', { name: 'Log out' }).click();
  await token.waitFor();
});

it('who has the token that reads sees everything, live, and is told that it changes nothing', async () => {
  const server = await serve(data, shared);
  const page = await openPage();
  await page.goto(`${server.url}/runs/${scenario.runs.killed}`);
  await page.getByLabel('The token that the server was started with').fill(READ_TOKEN);
  const stream = page.waitForResponse((response) => response.url().includes('/api/events/stream'));
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('the token only allows reading').first().waitFor();
  expect((await stream).status()).toBe(200);
});

it('a session that has ended leads to the login', async () => {
  const server = await serve(data, shared);
  const page = await openPage();
  await page.goto(`${server.url}/runs/${scenario.runs.killed}`);
  const token = page.getByLabel('The token that the server was started with');
  await token.fill(TOKEN);
  await token.press('Enter');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.context().clearCookies();
  // The page may find out by itself, when it loads something anew; the next page does at the latest.
  await page.getByRole('navigation').getByRole('link', { name: 'Hosts' }).click();
  await token.waitFor();
});

it('keeps the theme that was chosen, over a reload', async () => {
  const server = await serve(data);
  const page = await openPage({ colorScheme: 'light' });
  await page.goto(server.url);
  const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
  const light = await ground();
  await page.getByRole('group', { name: 'Colours' }).getByText('Dark').click();
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.reload();
  expect(await ground()).toBe(dark);
});

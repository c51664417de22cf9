// Pictures of every page of the dashboard, light and dark, on a desk and on a phone, to be looked at; two of them are made
// for the README with --readme. Needs Chromium, and the dashboard built (node scripts/build-web.ts).
//   npx node scripts/dashboard-pictures.ts curlew-data/pictures

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from '../src/fetch/browser/find-chromium.ts';
import { createLog } from '../src/observe/log.ts';
import { packageRoot } from '../src/platform/version.ts';
import { startServer } from '../src/server/server.ts';
import { makeScenario, type Scenario } from './dashboard/scenario.ts';

const SCREENS = {
  desk: { width: 1280, height: 800 },
  phone: { width: 360, height: 740 },
} as const;
const THEMES = ['light', 'dark'] as const;

interface Shot {
  readonly name: string;
  readonly path: string;
  /** What must be there before the picture is taken. */
  readonly ready: string;
}

function shotsOf({ runs, failedCase }: Scenario): Shot[] {
  return [
    { name: 'overview', path: '/', ready: '.attention' },
    { name: 'runs', path: '/runs', ready: '.vrow a' },
    { name: 'run-walk', path: `/runs/${runs.walked}`, ready: '.gap-map' },
    { name: 'run-site', path: `/runs/${runs.sites}`, ready: '#start-pages' },
    { name: 'run-mirror', path: `/runs/${runs.mirror}`, ready: '.chart canvas' },
    { name: 'run-killed', path: `/runs/${runs.killed}`, ready: '.troubles' },
    { name: 'run-going', path: `/runs/${runs.going}`, ready: '.events li' },
    { name: 'requests', path: `/runs/${runs.walked}/requests?sort=verdict&order=desc`, ready: '.vrow .badge' },
    { name: 'request', path: `/runs/${runs.walked}/requests/88`, ready: '.story' },
    { name: 'records', path: `/runs/${runs.lists}/records?kind=case`, ready: '.vrow a' },
    { name: 'run-cases', path: `/runs/${runs.mirror}/requests`, ready: '.vrow a' },
    { name: 'index', path: '/index', ready: 'tbody tr' },
    { name: 'index-version', path: '/index/2', ready: 'tbody tr' },
    { name: 'cases', path: '/cases', ready: '.vrow a' },
    { name: 'case', path: failedCase, ready: '.story li' },
    { name: 'hosts', path: '/hosts', ready: 'tbody tr' },
    { name: 'dead-letters', path: '/dead-letters', ready: '.vrow a' },
    { name: 'start', path: '/start?what=scraper%3Aexamples%2Fnumbered-cases.ts', ready: 'form' },
    { name: 'report', path: '/report', ready: '.vrow a' },
    { name: 'not-found', path: '/runs/999', ready: '.failure' },
  ];
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { readme: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const out = positionals[0] ?? join('curlew-data', 'pictures');
  await mkdir(out, { recursive: true });
  const data = await mkdtemp(join(tmpdir(), 'curlew-pictures-'));
  const scenario = await makeScenario(data);
  const server = await startServer({ data, port: 0, log: createLog(process.stderr, () => Date.now()) });
  const guarded = await startServer({
    data,
    port: 0,
    token: 'a-token-for-pictures-only',
    publicUrl: new URL('http://localhost'),
    log: createLog(process.stderr, () => Date.now()),
  });
  const browser = await chromium.launch({ executablePath: await findChromium() });
  try {
    if (values.readme) await picturesForReadme(browser, server.url, scenario);
    else {
      for (const theme of THEMES) {
        for (const [screen, viewport] of Object.entries(SCREENS)) {
          const page = await browser.newPage({
            viewport,
            colorScheme: theme,
            locale: 'en-GB',
            timezoneId: 'Europe/London',
          });
          for (const shot of shotsOf(scenario))
            await shoot(page, server.url, shot, join(out, `${shot.name}-${screen}-${theme}.png`));
          const login = { name: 'login', path: '/login', ready: 'form' };
          await shoot(page, guarded.url, login, join(out, `login-${screen}-${theme}.png`));
          await page.close();
        }
      }
    }
  } finally {
    await browser.close();
    await guarded.close();
    await server.close();
    await scenario.close();
    await rm(data, { recursive: true, force: true });
  }
}

async function shoot(page: Page, url: string, { path, ready }: Shot, file: string, fullPage = true): Promise<void> {
  await page.goto(url + path);
  await page.locator(ready).first().waitFor();
  await page.waitForLoadState('load');
  // The chart is drawn in the frame after its data came.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  await page.screenshot({ path: file, fullPage });
}

async function picturesForReadme(browser: Browser, url: string, { runs }: Scenario): Promise<void> {
  const images = join(packageRoot(), 'docs', 'images');
  const shots = [
    { name: 'dashboard-overview', path: '/', ready: '.runs td:text-matches("[0-9]/s")', theme: 'light', height: 800 },
    { name: 'dashboard-run', path: `/runs/${runs.going}`, ready: '.gap-map', theme: 'dark', height: 1340 },
  ] as const;
  for (const { theme, height, ...shot } of shots) {
    const page = await browser.newPage({
      viewport: { width: 1280, height },
      colorScheme: theme,
      locale: 'en-GB',
      timezoneId: 'Europe/London',
    });
    await shoot(page, url, shot, join(images, `${shot.name}.png`), false);
    await page.close();
  }
}

await main();

// The index of a mirror in the dashboard: how much of it is held, how current it is, its versions and what they changed.

import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { RunningJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { mirror, startMirror } from '../mirror/mirror-process.ts';
import { envOf, startSite } from '../mirror/scrape-setup.ts';
import { openPage, serve } from './dashboard-setup.ts';

const scratch = scratchDirectory();

async function sync(site: RunningJudicialKy): Promise<void> {
  await mirror(scratch('data'), ['sync', '--rate', 'off', '--allow-host', '127.0.0.1'], envOf(site));
}

/** The texts of a row of a table, by its first cell. */
async function rowOf(page: Page, name: RegExp): Promise<string[]> {
  return page.getByRole('row', { name }).getByRole('cell').allTextContents();
}

it('the overview shows how much of a mirror is held, and by which index', async () => {
  const site = await startSite({ cases: 60 });
  await startMirror(site, scratch('data'), ['--limit', '10']).ended;
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(server.url);
  const mirrors = page.getByRole('region', { name: 'Mirrors' });
  const wanted = site.corpus.wanted('v1').length;
  await mirrors.getByText(`10 of ${wanted} wanted`).waitFor();
  await mirrors.getByText('confirmed', { exact: true }).waitFor();
  await mirrors.getByText(/^confirmed by the site \d+ (s|min) ago/).waitFor();
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByText(`unreported_judgments: ${wanted - 10} of ${wanted} wanted cases not held`).waitFor();
});

it('an index that could not be used is told of on the overview, the report and the page of the index', async () => {
  const site = await startSite({ cases: 60 });
  await startMirror(site, scratch('data')).ended;
  site.switchOn('csv-html');
  await sync(site);
  const server = await serve(scratch('data'));
  const page = await openPage();
  for (const path of ['/', '/report', '/index']) {
    await page.goto(server.url + path);
    await page.getByText('not confirmed', { exact: true }).waitFor();
    await page
      .getByText(/could not be used: .*HTML/)
      .first()
      .waitFor();
  }
  await page.goto(server.url);
  await page.getByRole('link', { name: /the index could not be brought up to date/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Report' }).waitFor();
});

it('a run whose index could not be used leads to the versions of the index, not to an empty list of cases', async () => {
  const site = await startSite({ cases: 60 });
  await startMirror(site, scratch('data'), ['--limit', '1']).ended;
  site.switchOn('csv-html');
  await startMirror(site, scratch('data'), ['--limit', '1']).ended;
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(`${server.url}/runs/2`);
  const problem = page.getByRole('region', { name: 'Problems' }).getByRole('listitem');
  await problem.filter({ hasText: 'index_not_confirmed' }).getByRole('link', { name: 'Versions of the index' }).click();
  await page.getByRole('heading', { level: 1, name: 'Index' }).waitFor();
});

it('every version of the index is listed with what it changed, and any two can be compared', async () => {
  const site = await startSite({ cases: 60 });
  await startMirror(site, scratch('data'), ['--limit', '1']).ended;
  site.travelTo('v2');
  await sync(site);
  site.travelTo('v3');
  await sync(site);
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(server.url);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Index' }).click();
  await page.getByRole('heading', { name: 'Versions, newest first' }).waitFor();
  expect((await rowOf(page, /^Version 1 /)).slice(3, 6)).toEqual(['60', '0', '0']);
  expect((await rowOf(page, /^Version 2 /)).slice(3, 6)).toEqual(['7', '3', '2']);
  // One of those that were gone is back.
  expect((await rowOf(page, /^Version 3 /)).slice(3, 6)).toEqual(['1', '0', '0']);

  await page.getByRole('link', { name: 'Version 2' }).click();
  await page.getByRole('heading', { name: '7 new cases' }).waitFor();
  await page.getByRole('heading', { name: '3 cases no longer listed' }).waitFor();
  const changed = page.getByRole('region', { name: '2 cases changed' });
  const [retitled] = site.corpus.retitled;
  await changed.getByText(`title: ${retitled?.title} ${retitled?.title} (No 2)`).waitFor();

  await page.getByLabel('Compare with').selectOption('version 3');
  await page.getByRole('heading', { name: '0 new cases' }).waitFor();
  await page.getByRole('heading', { name: '1 case no longer listed' }).waitFor();
  await page.reload();
  await page.getByText('Compared with version 3').waitFor();
  await page.getByRole('region', { name: '1 case no longer listed' }).getByRole('link').click();
  await page.getByText('Listed again, in version 3 of the index.').waitFor();
});

it('a version that was never there says so', async () => {
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(`${server.url}/index`);
  await page.getByText('No index has been read yet').waitFor();
  await page.goto(`${server.url}/index/9`);
  await page.getByText('Could not load version 9').waitFor();
});

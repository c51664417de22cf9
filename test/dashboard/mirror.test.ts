// The pages of a mirror: numbers that agree with each other, the story of a case, and fetching it again.

import { readFile, rm } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { RunningJudicialKy } from '../../sim/judicial-ky/judicial-ky.ts';
import type { RunningServer } from '../../src/server/server.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { startMirror } from '../mirror/mirror-process.ts';
import { envOf, SOURCE, startSite } from '../mirror/scrape-setup.ts';
import { quietEnv } from '../server/server-setup.ts';
import { openPage, serve } from './dashboard-setup.ts';

const scratch = scratchDirectory();

/** A server that starts runs on that court. */
function serveOf(site: RunningJudicialKy): Promise<RunningServer> {
  const env = quietEnv({ ...envOf(site), PLAYWRIGHT_RETRY_AFTER_SWEEP_SECONDS: '0' });
  return serve(scratch('data'), { env, defaults: ['--rate=off', '--delay=0', '--allow-host=127.0.0.1'] });
}

async function numberBefore(page: Page, selector: string, text: RegExp): Promise<number> {
  const found = await page.locator(selector, { hasText: text }).first().textContent();
  return Number(/[\d,]+/.exec(found ?? '')?.[0].replaceAll(',', ''));
}

it('the report counts every file that is held, also of cases that are gone from the index', async () => {
  const site = await startSite({ cases: 60 });
  const [lost] = site.corpus.wanted('v1');
  site.switchOn('pdf-404', { token: lost?.token ?? '' });
  await startMirror(site, scratch('data')).ended;
  site.travelTo('v2');
  await startMirror(site, scratch('data')).ended;
  const wanted = site.corpus.wanted('v2').length;
  const server = await serveOf(site);
  const page = await openPage();
  await page.goto(`${server.url}/report`);
  await page.getByText(`${wanted - 1} of ${wanted} cases that are wanted`).waitFor();
  const held = page.getByRole('region', { name: 'Every file that is held' });
  // Three of v1 are not in v2; their files are held.
  await held
    .getByText(`${wanted + 2} files: ${wanted - 1} wanted cases, and 3 criminal, or gone from the index`)
    .waitFor();
  expect(await numberBefore(page, '#held ~ * .vtable-status, .panel .vtable-status', /cases?$/)).toBe(wanted + 2);
});

it('a file that is gone from the disk is not held in any list', async () => {
  const site = await startSite({ cases: 40 });
  await startMirror(site, scratch('data')).ended;
  const [first] = site.corpus.wanted('v1');
  await rm(scratch('data', 'pdfs', SOURCE, `${first?.norm}.pdf`));
  const server = await serveOf(site);
  const listed = async (state: string) => {
    const answer = await fetch(`${server.url}/api/cases?state=${state}`);
    const { total, rows } = (await answer.json()) as { total: number; rows: { token: string }[] };
    return { total, tokens: rows.map(({ token }) => token) };
  };
  expect(await listed('file_missing')).toEqual({ total: 1, tokens: [first?.norm] });
  expect((await listed('held')).total).toBe(site.corpus.wanted('v1').length - 1);
});

it('cases whose date cannot be read come last, in either order', async () => {
  const site = await startSite({ cases: 60 });
  await startMirror(site, scratch('data'), ['--limit', '1']).ended;
  const server = await serveOf(site);
  for (const order of ['asc', 'desc']) {
    const answer = await fetch(`${server.url}/api/cases?sort=judgmentDate&order=${order}&limit=500`);
    const { rows } = (await answer.json()) as { rows: { judgmentDate: string | null }[] };
    const read = rows.map(({ judgmentDate }) => /^\d{4}-\d\d-\d\d$/.test(judgmentDate ?? ''));
    const unread = read.filter((isRead) => !isRead).length;
    expect(unread).toBeGreaterThan(0);
    expect(read.lastIndexOf(true)).toBe(read.length - unread - 1);
    const dates = rows.slice(0, -unread).map(({ judgmentDate }) => judgmentDate ?? '');
    expect(dates).toEqual(order === 'asc' ? dates.toSorted() : dates.toSorted().toReversed());
  }
});

it('a mirror run shows its cases where other runs show requests, and as many as it says', async () => {
  const site = await startSite({ cases: 60 });
  const [lost] = site.corpus.wanted('v1');
  site.switchOn('pdf-404', { token: lost?.token ?? '' });
  await startMirror(site, scratch('data')).ended;
  const server = await serveOf(site);
  const page = await openPage();
  await page.goto(`${server.url}/runs/1`);
  const done = site.corpus.wanted('v1').length - 1;
  await page.getByRole('link', { name: `${done} done` }).click();
  await page.getByRole('heading', { level: 1, name: 'Cases of the run' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/runs/1/requests');
  await page.getByRole('status').getByText(`${done} cases`).waitFor();
  await page.goto(`${server.url}/runs/1/requests?status=failed`);
  await page.locator('.vrow', { hasText: 'http_404_not_found' }).getByRole('link').click();
  await page.getByRole('heading', { name: 'What happened to this one' }).waitFor();
});

it('the page of a case tells what happened in sentences, and fetches it again', async () => {
  const site = await startSite({ cases: 40 });
  const [wanted] = site.corpus.wanted('v1');
  if (wanted === undefined) expect.fail('the court has no cases');
  const broken = site.switchOn('pdf-404', { token: wanted.token });
  await startMirror(site, scratch('data')).ended;
  const server = await serveOf(site);
  const page = await openPage({ acceptDownloads: true });
  await page.goto(`${server.url}/cases/${SOURCE}/${wanted.norm}`);
  const story = page.getByRole('region', { name: 'What happened to this one' });
  await story.getByText('Listed for the first time, in version 1 of the index.').waitFor();
  await story.getByText(/^Run 1, attempt 2: failed \(http_404_not_found\): the file server/).waitFor();
  await story.getByText(/^It is not held \(http_404_not_found\): .* What to do: ask the court/).waitFor();
  expect(await story.textContent()).not.toMatch(/STATE|DECISION|error_code|→/);

  site.box.faults.clear(broken.id);
  await page.getByRole('button', { name: 'Fetch', exact: true }).click();
  await page.locator('.page-head .badge', { hasText: 'completed' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/runs/2');
  await page.getByRole('link', { name: '1 done' }).click();
  await page.locator('.vrow').getByRole('link').click();
  const sentence = story.getByText(/^Run 2, attempt 1: downloaded, [\d,]+ bytes, SHA-256 [0-9a-f]{64}\.$/);
  await sentence.waitFor();
  const sha256 = /[0-9a-f]{64}/.exec((await sentence.textContent()) ?? '')?.[0];
  expect(await page.getByRole('region', { name: 'The file' }).textContent()).toContain(sha256);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    story.getByRole('link', { name: /PDF/ }).click(),
  ]);
  expect((await readFile(await download.path())).subarray(0, 5).toString()).toBe('%PDF-');

  // Held by now, and fetched once more all the same.
  await page.getByRole('button', { name: 'Fetch again' }).click();
  await page.locator('.page-head .badge', { hasText: 'completed' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/runs/3');
  await page.getByRole('link', { name: '1 done' }).waitFor();
});

it('a case that is never fetched says why', async () => {
  const site = await startSite({ cases: 40 });
  await startMirror(site, scratch('data'), ['--limit', '1']).ended;
  const crime = site.corpus.active('v1').find(({ isCriminal }) => isCriminal);
  const server = await serveOf(site);
  const page = await openPage();
  await page.goto(`${server.url}/cases/${SOURCE}/${crime?.norm}`);
  await page.locator('button[aria-disabled=true]', { hasText: 'Fetch' }).press('Enter');
  const messages = page.getByRole('log', { name: 'Messages' });
  await messages.getByText('It is a criminal case: those are listed and never fetched.').waitFor();
});

it('no date and no cause is cut on a wide screen, and no column stands empty', async () => {
  const site = await startSite({ cases: 60 });
  await startMirror(site, scratch('data')).ended;
  const server = await serveOf(site);
  const page = await openPage({ viewport: { width: 1440, height: 900 } });
  for (const path of ['/cases?sort=judgmentDate&order=asc', '/report', '/runs', '/runs/1/requests']) {
    await page.goto(server.url + path);
    await page.locator('.vrow a').first().waitFor();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const cut = await page.locator('.vscroll .vcell').evaluateAll((cells) =>
      cells
        .map(
          (cell) =>
            cell as unknown as {
              dataset: { label: string };
              scrollWidth: number;
              clientWidth: number;
              textContent: string;
            },
        )
        // The first column takes what is left; what cannot be read of it is on the page that it leads to.
        .filter(
          ({ dataset, scrollWidth, clientWidth }) => !/^(Title|Case)$/.test(dataset.label) && scrollWidth > clientWidth,
        )
        .map(({ dataset, textContent }) => `${dataset.label}: ${textContent}`),
    );
    expect([path, cut]).toEqual([path, []]);
    const labels = await page.locator('.vhead [role=columnheader]').allTextContents();
    for (const label of labels.map((text) => text.replace(/[▲▼]$/, ''))) {
      const texts = await page.locator(`.vscroll .vcell[data-label="${label}"]`).allTextContents();
      expect([path, label, texts.some((text) => text !== '')]).toEqual([path, label, true]);
    }
  }
});

it('a run says how long it will still take, once it can be told', async () => {
  const site = await startSite({ cases: 200, latencyMs: 150 });
  const process = startMirror(site, scratch('data'), ['--concurrency', '1']);
  const server = await serveOf(site);
  const page = await openPage();
  await page.goto(server.url);
  await page.locator('.runs tbody tr', { hasText: 'running' }).getByRole('link').click();
  const left = page.locator('.facts div', { hasText: 'Time left' }).locator('dd');
  await left.getByText(/^about \d+ (s|min)/).waitFor({ timeout: 60_000 });
  process.kill('SIGKILL');
  await page.locator('.page-head .badge', { hasText: 'killed' }).waitFor();
  expect(await left.count()).toBe(0);
});

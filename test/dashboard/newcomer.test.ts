// A newcomer's first hour with the dashboard, without a shell and without reloading once.

import { readFile } from 'node:fs/promises';
import type { APIResponse, Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { AnswerOf } from '../../src/server/contract/routes.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { openPage, serve } from './dashboard-setup.ts';

const scratch = scratchDirectory();

/** Fills in the form for the example of the lists, on a court of ours. */
async function startFromForm(page: Page, court: RunningCourt): Promise<void> {
  await page.getByRole('button', { name: /CountyCourt/ }).click();
  await fillIn(page, court);
  await page.getByRole('heading', { level: 1, name: 'CountyCourt' }).waitFor();
}

async function fillIn(page: Page, court: RunningCourt): Promise<void> {
  await page.getByLabel('Base address').fill(court.url);
  await page.getByLabel('Rate').fill('off');
  await page.getByLabel('Private hosts to allow').fill(new URL(court.url).host);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
}

/** What the page of a run asks for first. */
const DETAIL = /\/api\/runs\/1$/;

function badge(page: Page, text: string) {
  return page.locator('.page-head .badge', { hasText: text });
}

it('starts a run from the form, watches it, reads why one failed, puts it back, resumes, downloads a PDF', async () => {
  const court = closing(await startCourt({ seed: 7, highest: 40 }));
  court.faults.set({ kind: 'status', status: 200, body: '<h1>Down for maintenance</h1>', path: /^\/case\/7$/ });
  const server = await serve(scratch('data'));
  const page = await openPage({ acceptDownloads: true });

  await page.goto(server.url);
  await page.evaluate('globalThis.neverReloaded = true');
  await page.getByText('Nothing has been run here yet').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Start a run' }).click();
  await startFromForm(page, court);
  expect(new URL(page.url()).pathname).toBe('/runs/1');

  // To its end, by what the server tells.
  await badge(page, 'completed').waitFor();
  await badge(page, 'partial').waitFor();
  const problem = page.locator('.problems li', { hasText: 'failed' });
  await problem.getByRole('link', { name: `${court.url}/case/7` }).click();

  await page.getByRole('heading', { name: 'What happened to this one' }).waitFor();
  expect(await page.locator('.story li').last().textContent()).toContain('It is failed');
  expect(await page.locator('.troubles').textContent()).toContain('.number');
  const [archived] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('link', { name: /Download the archived body/ })
      .first()
      .click(),
  ]);
  expect(await readFile(await archived.path(), 'utf8')).toBe('<h1>Down for maintenance</h1>');

  court.faults.clear();
  await page.getByRole('button', { name: 'Requeue' }).click();
  await page.getByText('is requeued').waitFor();
  await badge(page, 'pending').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('link', { name: '#1' }).click();
  await badge(page, 'completed').waitFor();
  await badge(page, 'ok').waitFor();

  await page.getByRole('link', { name: 'document', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Records' }).waitFor();
  const [pdf] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('button', { name: /^Download/ })
      .first()
      .click(),
  ]);
  expect((await readFile(await pdf.path())).subarray(0, 5).toString()).toBe('%PDF-');
  expect(await page.evaluate('globalThis.neverReloaded')).toBe(true);
});

it('a run killed without warning shows up as such, and is resumed from its page', async () => {
  const court = closing(await startCourt({ seed: 7, highest: 60 }));
  // It has begun with the cases, and does not come to their end.
  court.faults.set({ kind: 'hold', path: '/case/', after: 10 });
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(`${server.url}/start`);
  await startFromForm(page, court);
  await court.log.arrival(({ n }) => n > 20);

  const answer = await fetch(`${server.url}/api/runs/1`);
  const { run } = (await answer.json()) as AnswerOf<'run'>;
  if (run.owner.pid === null) expect.fail('nobody works on it');
  process.kill(run.owner.pid, 'SIGKILL');
  await badge(page, 'killed').waitFor();
  await page.getByText('Nothing is lost: resume it.').waitFor();
  await court.faults.clear();

  await page.goto(server.url);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByRole('link', { name: /killed, its process is gone/ }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await badge(page, 'completed').waitFor();
  await badge(page, 'ok').waitFor();
  const records = await page.locator('.facts div', { hasText: 'Records' }).locator('dd').textContent();
  expect(records).toBe(String(court.expectedCases().length + court.expectedDocuments().length));
});

it('a walk that is stopped shows up as such, and becomes a run when it goes on', async () => {
  const court = closing(await startCourt({ seed: 7, highest: 20 }));
  court.faults.set({ kind: 'hold', path: '/list/' });
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(`${server.url}/start`);
  await page.getByRole('button', { name: /listing-site/ }).click();
  await fillIn(page, court);
  await page.getByRole('button', { name: 'Stop: court.example' }).click();
  await page.getByText('was asked to stop').waitFor();
  await court.faults.clear();
  await page.getByRole('button', { name: 'Resume: court.example' }).click();
  await page.locator('.runs tbody tr', { hasText: 'court.example' }).getByText('completed').waitFor();
});

it('what was told of a run is not undone by an answer that was on its way', async () => {
  const server = await serve(scratch('data'));
  const ledger = closing(await Ledger.open(scratch('data'), { clock: systemClock }));
  const begun = { kind: 'scraper', trigger: 'cli', name: 'Ending', source: undefined, replayOf: undefined } as const;
  const writer = await ledger.takeRun(await ledger.createRun({ ...begun, params: {}, settings: {} }, []));
  const page = await openPage();
  const shown: string[] = [];
  await page.exposeFunction('show', (text: string) => shown.push(text));
  await page.addInitScript(`
    new MutationObserver(() => show(document.querySelector('.page-head .badge')?.textContent ?? ''))
      .observe(document, { childList: true, characterData: true, subtree: true });`);
  // The first answer is to draw the page, the second comes with the stream: that one is late.
  const asked: Route[] = [];
  const late = Promise.withResolvers<APIResponse>();
  await page.route(DETAIL, async (route) => {
    if (asked.push(route) === 2) late.resolve(await route.fetch());
    else await route.continue();
  });
  await page.goto(`${server.url}/runs/1`);
  const answer = await late.promise;
  expect((await answer.json()).run.state).toBe('running');
  await writer.end('interrupted', undefined);
  await badge(page, 'interrupted').waitFor();
  const third = page.waitForResponse((response) => DETAIL.test(response.url()) && asked.length === 3);
  await asked[1]?.fulfill({ response: answer });
  await third;
  await page.evaluate('0');
  expect(shown.slice(shown.indexOf('interrupted'))).not.toContain('running');
});

it('a form that is not filled in rightly says what is wrong, at the field and from the server', async () => {
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(`${server.url}/start?what=scraper%3Aexamples%2Fnumbered-cases.ts`);
  const concurrency = page.getByLabel('Concurrency');
  await concurrency.fill('0');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.getByText('Concurrency is at least 1.').waitFor();
  expect(await page.evaluate('document.activeElement.id')).toBe('field-settings.concurrency');
  expect(await concurrency.getAttribute('aria-invalid')).toBe('true');

  await concurrency.fill('1');
  await page.getByLabel('Base address').fill('not an address');
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const alert = page.getByRole('alert');
  await alert.getByText('It was not started').waitFor();
  expect(await alert.textContent()).toContain('settings.baseUrl');
});

it('what cannot be done now says why when it is pressed', async () => {
  const court = closing(await startCourt({ seed: 7, highest: 20 }));
  court.faults.set({ kind: 'hold', path: '/case/' });
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(`${server.url}/start`);
  await startFromForm(page, court);
  const replay = page.locator('button[aria-disabled=true]', { hasText: 'Replay' });
  // Playwright would wait until it can be used; a person does not.
  await replay.press('Enter');
  const why = (await replay.getAttribute('title')) ?? '';
  expect(why).not.toBe('');
  await page.getByRole('log', { name: 'Messages' }).getByText(why).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('was asked to stop').waitFor();
  // What is on the wire is finished first.
  await court.faults.clear();
  await badge(page, 'interrupted').waitFor();
  await page.locator('button[aria-disabled=false]', { hasText: 'Resume' }).waitFor();
});

// What the overview says of runs that are not as they should be, and what the page of such a run says.

import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { Ledger } from '../../src/ledger/ledger.ts';
import type { NewRun } from '../../src/ledger/run.ts';
import type { RunWriter } from '../../src/ledger/run-writer.ts';
import { sampleRequest } from '../../src/ledger/sample-request.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { openPage, serve } from './dashboard-setup.ts';

const scratch = scratchDirectory();

async function openLedger(clock: Clock = systemClock) {
  const ledger = closing(await Ledger.open(scratch('data'), { clock }));
  const begin = async (name: string, more: Partial<NewRun> = {}): Promise<RunWriter> => {
    const run = { kind: 'scraper', trigger: 'cli', name, source: undefined, replayOf: undefined } as const;
    const created = { ...run, params: {}, settings: {}, ...more };
    return ledger.takeRun(await ledger.createRun(created, [{ entry: 'all', params: undefined }]));
  };
  /** One page, done, with a record: so that the run is ok. */
  const readOne = async (writer: RunWriter, path = '', isLast = true): Promise<void> => {
    const url = `http://court.example/${writer.run}${path}`;
    const identity = hash('sha256', url, 'buffer').subarray(0, 16);
    const request = { spec: sampleRequest({ url }), host: 'court.example', identity, reading: 1 };
    await writer.seed('all', [request], 1, isLast);
    const [{ hostId } = expect.fail('no host')] = await ledger.countsByHost(writer.run);
    const { claimed } = await writer.commit({ results: [], wanted: new Map([[hostId, 1]]) });
    await writer.commit({
      results: claimed.map((one) => ({
        request: one,
        settlement: { kind: 'settled', verdict: 'done', status: 200, reason: undefined },
        exchanges: [],
        records: [{ kind: 'case', data: {}, errors: undefined }],
        children: [],
        events: [],
        probe: undefined,
      })),
      wanted: new Map(),
    });
  };
  return { ledger, begin, readOne };
}

it('a failed run is told of while a newer one of its name is on', async () => {
  const { begin } = await openLedger();
  await (await begin('Court')).end('failed', 'the disk is full');
  await begin('Court');
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(server.url);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByRole('link', { name: 'Court: run failed: the disk is full' }).waitFor();
  await page.getByText('running').first().waitFor();
  expect(await attention.textContent()).not.toContain('Nothing');
});

it('a run that was killed is told of while a newer one of its name is on', async () => {
  const { begin } = await openLedger();
  const { run } = await begin('Court');
  // Its process is gone.
  const database = new DatabaseSync(scratch('data', 'ledger.sqlite'));
  database.prepare("UPDATE run_owners SET owner = json_set(owner, '$.pid', 4194305) WHERE run_id = ?").run(run);
  database.close();
  await begin('Court');
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(server.url);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByRole('link', { name: /^Court: killed/ }).waitFor();
});

it('all is said to be well of the newest runs only, and older ones that did not end well are counted', async () => {
  const { begin, readOne } = await openLedger();
  await (await begin('Court')).end('failed', 'the disk is full');
  const good = await begin('Court');
  await readOne(good);
  await good.end('completed', undefined);
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(server.url);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByText('The newest run of each scraper, site and mirror is as it should be.').waitFor();
  await attention.getByText('1 older run below did not end well').waitFor();
});

it('a run whose health is not ok needs attention, whatever its numbers are', async () => {
  const { begin } = await openLedger();
  // Interrupted before anything was asked for: nothing is pending, and nothing is there.
  await (await begin('Court')).end('interrupted', undefined);
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(server.url);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await attention.getByRole('link', { name: /^Court: interrupted/ }).waitFor();
});

it('the banner of a failed mirror run says each message once', async () => {
  const { ledger } = await openLedger();
  const error = 'The index of unreported_judgments cannot be used: it could not be fetched: 404 Not Found.';
  const writer = await ledger.mirror.startRun({
    source: 'unreported_judgments',
    trigger: 'cli',
    mode: 'new',
    csvVersionId: undefined,
    params: {},
  });
  await writer.end('failed', error);
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(`${server.url}/runs/${writer.run}`);
  await page.waitForResponse((response) => response.url().endsWith('/summary'));
  await page.getByRole('heading', { name: 'Events' }).waitFor();
  expect(await page.locator('.troubles li').allTextContents()).toEqual([error]);
});

it('the chart of a short run keeps no room for time in which nothing was done', async () => {
  let laterMs = 0;
  const clock: Clock = {
    now: () => systemClock.now() + laterMs,
    monotonic: () => systemClock.monotonic(),
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  };
  const { begin, readOne } = await openLedger(clock);
  const writer = await begin('Court');
  // Three columns of a second each: of a single one the width would say nothing of the room beside it.
  for (const path of ['/1', '/2', '/3']) {
    await readOne(writer, path, path === '/3');
    laterMs += 1_000;
  }
  await writer.end('completed', undefined);
  const server = await serve(scratch('data'));
  const page = await openPage();
  await page.goto(`${server.url}/runs/${writer.run}`);
  await page.locator('.chart canvas').waitFor();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  // How far to the right the colour of what is done reaches, as a part of the chart.
  const reach = await page.evaluate<number>(`(() => {
    const canvas = document.querySelector('.chart canvas');
    const swatch = getComputedStyle(document.querySelector('.chart .swatch.v-done')).backgroundColor;
    const [red, green, blue] = swatch.match(/[0-9]+/g).map(Number);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let last = 0;
    for (let at = 0; at < data.length; at += 4) {
      const isDone = data[at] === red && data[at + 1] === green && data[at + 2] === blue;
      if (isDone) last = Math.max(last, (at / 4) % canvas.width);
    }
    return last / canvas.width;
  })()`);
  expect(reach).toBeGreaterThan(0.6);
});

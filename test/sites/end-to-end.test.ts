// A site from the command line, as a user has it: killed, resumed, stopped, mended. Real processes, killed for real.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { closing } from '../fixtures/closing.ts';
import {
  type CurlewOptions,
  curlew,
  type Ended,
  resultIn,
  sortedRecords,
  startCurlew,
  summaryIn,
} from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { pages, pagesAsked } from './court-site.ts';

const SITE = fileURLToPath(new URL('../../examples/listing-site.ts', import.meta.url));
const INTERRUPTING = fileURLToPath(new URL('./interrupted.ts', import.meta.url));
const STOPPING = 'stopping after what is on the wire';
const scratch = scratchDirectory();

function runArguments(court: RunningCourt): string[] {
  const where = ['--base-url', court.url, '--allow-host', new URL(court.url).host];
  return ['sites', 'run', SITE, ...where, '--rate', 'off', '--data', scratch('data'), '--json'];
}

const command = (...args: string[]) => ['sites', ...args, '--data', scratch('data'), '--json'];

function resume(options: CurlewOptions = {}): Promise<Ended> {
  return curlew(command('resume', 'court.example'), options);
}

/** Every row that says how far the walk has come, as it is in the file. */
async function state() {
  const ledger = await Ledger.open(scratch('data'), { clock: systemClock, readOnly: true });
  try {
    const partial = await ledger.sites.partialRun('court.example');
    const collected = partial?.startPages.map(async ({ id }) => [
      await ledger.sites.collectedOf(id),
      await ledger.sites.failuresOf(id),
    ]);
    return { partial, collected: await Promise.all(collected ?? []), runs: await ledger.runs(9) };
  } finally {
    await ledger.close();
  }
}

const linesIn = ({ stdout }: Ended) =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** What a run of the whole court comes to. */
const WHOLE = { exitCode: 0, status: 'completed', health: 'ok', records: 480, invalid: 0 };

describe('two lists of 12 pages', () => {
  it('killed on page 7 are resumed there, committed once, and their items worked off', async () => {
    const court = closing(await startCourt());
    court.faults.set({ kind: 'silent', path: '/list/civil?page=7', count: 1 });
    const life = startCurlew(runArguments(court));
    await court.log.arrival(({ path }) => path === '/list/civil?page=7');
    const before = await state();
    const status = curlew(['sites', 'status', '--data', scratch('data')]);
    expect((await status).stdout).toContain(`walked now by process ${life.pid}`);
    const second = await curlew(command('resume', SITE));
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining(`process ${life.pid}`) });
    life.kill('SIGKILL');
    expect(await life.ended).toMatchObject({ signal: 'SIGKILL' });

    const after = await state();
    expect(after).toEqual(before);
    expect(after.partial?.startPages).toMatchObject([
      { pages: 6, urls: 120, completed: false },
      { pages: 0, urls: 0, completed: false },
    ]);
    expect(after.runs).toEqual([]);
    const killedAt = court.log.entries.length;

    const last = await resume();
    expect(resultIn(last)).toMatchObject({ ...WHOLE, requests: { done: 480, pending: 0 } });
    expect(pagesAsked(court, killedAt)).toEqual({ civil: pages(7, 12), criminal: pages(1, 12) });
    expect((await state()).runs).toHaveLength(1);
    const numbers = (await sortedRecords(scratch('data'))).map((line) => JSON.parse(line).data.number);
    const expected = ['civil', 'criminal'].flatMap((name) => court.expectedList(name)).map(({ number }) => number);
    expect(numbers.sort()).toEqual(expected.sort());
  });

  it.each([
    ['after-fetch', [1, 7, 1, 12]],
    ['before-commit', [1, 12, 2, 11]],
    ['after-commit', [1, 12, 1, 11]],
  ])('come to the same when they die again and again %s', async (point, deaths) => {
    const court = closing(await startCourt());
    for (const [life, nth] of deaths.entries()) {
      const env = { CURLEW_CRASH_AT: `${point}:${nth}` };
      const ended = await (life === 0 ? curlew(runArguments(court), { env }) : resume({ env }));
      expect(ended.signal, `life ${life} did not come to ${point} ${nth} times`).toBe('SIGKILL');
      expect(await state()).toEqual(await state());
    }
    expect(resultIn(await resume())).toMatchObject({ ...WHOLE, requests: { done: 480 } });
    expect((await state()).runs).toHaveLength(1);
    // A page that was read but not saved is asked for again, and no other.
    const asked = Object.values(pagesAsked(court)).flat();
    expect(asked.length).toBeLessThanOrEqual(24 + deaths.length);
    expect(new Set(await sortedRecords(scratch('data'))).size).toBe(480);
  });

  it('that die in the middle of their commit are not committed, and then are, once', async () => {
    const court = closing(await startCourt());
    // 24 pages are saved; the 25th time it is the commit.
    const { signal } = await curlew(runArguments(court), { env: { CURLEW_CRASH_AT: 'before-commit:25' } });
    expect(signal).toBe('SIGKILL');
    expect((await state()).runs).toEqual([]);
    const requests = court.log.entries.length;
    const committed = await curlew(command('commit', 'court.example'));
    expect(linesIn(committed)).toEqual([{ run: 1, site: 'court.example', items: 480 }]);
    expect(court.log.entries.length).toBe(requests);
    expect((await curlew(command('commit', 'court.example'))).stdout).toContain('No partial run to commit');
    expect((await state()).runs).toHaveLength(1);
    const ended = await curlew(['resume', '1', '--data', scratch('data'), '--json']);
    expect(resultIn(ended)).toMatchObject({ ...WHOLE, requests: { done: 480 } });
  });

  it('that die right after their commit go on as the run they are', async () => {
    const court = closing(await startCourt());
    await curlew(runArguments(court), { env: { CURLEW_CRASH_AT: 'after-commit:25' } });
    expect(await state()).toMatchObject({ partial: undefined, runs: [{ kind: 'site', name: 'court.example' }] });
    expect(resultIn(await resume())).toMatchObject({ ...WHOLE, requests: { done: 480 } });
    expect((await state()).runs).toHaveLength(1);
    expect(await resume()).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing to go on with') });
  });

  it('are replayed from the archive, with the same records and no request', async () => {
    const court = closing(await startCourt());
    await curlew(runArguments(court));
    const requests = court.log.entries.length;
    const replayed = await curlew(['replay', '1', '--data', scratch('data'), '--json']);
    expect(resultIn(replayed)).toMatchObject({ ...WHOLE, requests: { done: 480 } });
    expect(await sortedRecords(scratch('data'), '2')).toHaveLength(480);
    expect(court.log.entries.length).toBe(requests);
  });
});

describe('a list that is empty', () => {
  it('aborts the run and is named; mended, it is walked again and the good one is not', async () => {
    const court = closing(await startCourt());
    court.setList({ name: 'criminal', cases: [] });
    const ended = await curlew(runArguments(court));
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Pagination returned 0 URLs - aborting entire run'),
    });
    expect(linesIn(ended)).toMatchObject([
      { error: { code: 'empty_pagination', message: expect.stringContaining(`${court.url}/list/criminal`) } },
    ]);
    expect(await state()).toMatchObject({
      runs: [],
      partial: {
        startPages: [
          { completed: true, urls: 240 },
          { completed: true, urls: 0 },
        ],
      },
    });
    expect((await curlew(command('commit', SITE))).code).toBe(1);

    court.setList({ name: 'criminal', cases: pages(1, 30) });
    const before = court.log.entries.length;
    expect((await resume()).code).toBe(0);
    expect(pagesAsked(court, before)).toEqual({ criminal: [1, 2] });
  });
});

describe('Ctrl-C', () => {
  it('in the middle of a walk keeps what was walked, and exits with 130', async () => {
    const court = closing(await startCourt());
    court.faults.set({ kind: 'hold', path: '/list/civil?page=4' });
    const life = startCurlew(runArguments(court));
    await court.log.arrival(({ path }) => path === '/list/civil?page=4');
    const stopping = life.says(STOPPING);
    life.kill('SIGINT');
    await stopping;
    await court.faults.clear();
    const ended = await life.ended;
    expect(ended).toMatchObject({ code: 130, stderr: expect.stringContaining('sites resume court.example') });
    expect(summaryIn(ended)).toEqual({ site: 'court.example', status: 'interrupted' });
    expect((await state()).partial?.startPages).toMatchObject([{ pages: 4, urls: 80 }, { pages: 0 }]);
    expect(resultIn(await resume())).toMatchObject(WHOLE);
  });

  it.each(['in the commit', 'after the commit'])(
    '%s interrupts the run that the walk has become, before its items are worked off',
    async (INTERRUPTED) => {
      const court = closing(await startCourt());
      const ended = await curlew(runArguments(court), { env: { INTERRUPTED }, preload: INTERRUPTING });
      expect(ended.stderr).toContain(STOPPING);
      expect(resultIn(ended)).toMatchObject({ exitCode: 130, status: 'interrupted', requests: { done: 0 } });
      expect(resultIn(await resume())).toMatchObject(WHOLE);
    },
  );

  it('while the items are worked off interrupts the run, which can be resumed', async () => {
    const court = closing(await startCourt());
    court.faults.set({ kind: 'hold', path: '/case/' });
    const life = startCurlew(runArguments(court));
    await court.log.arrival(({ path }) => path.startsWith('/case/'));
    const stopping = life.says(STOPPING);
    life.kill('SIGINT');
    await stopping;
    await court.faults.clear();
    expect(resultIn(await life.ended)).toMatchObject({ exitCode: 130, status: 'interrupted' });
    expect(resultIn(await resume())).toMatchObject(WHOLE);
  });
});

describe('curlew sites', () => {
  it('status shows every start page with what was found, what failed, and why', async () => {
    const court = closing(await startCourt());
    court.faults.set({ kind: 'status', status: 404, path: '/list/civil?page=3' });
    court.setList({ name: 'criminal', cases: pages(1, 30), quirks: [{ kind: 'total', stated: 40 }] });
    expect((await curlew(runArguments(court))).code).toBe(1);
    const [row, ...others] = linesIn(await curlew(command('status')));
    expect(others).toEqual([]);
    const failure = { timestamp: expect.any(String), error: expect.stringContaining('404') };
    expect(row).toMatchObject({
      site: 'court.example',
      urls: 70,
      startPages: [
        { url: `${court.url}/list/civil`, pages: 2, urls: 40, failureCount: 1, completed: false },
        { url: `${court.url}/list/criminal`, pages: 2, urls: 30, failureCount: 0, statedTotal: 40 },
      ],
    });
    expect(row).toMatchObject({ startPages: [{ failureHistory: [failure] }, { failureHistory: [] }] });
    const { stdout } = await curlew(['sites', 'status', '--data', scratch('data')]);
    expect(stdout).toMatch(/list\/civil +2 +40 +1 +page 3, .*404 Not Found/);
    expect(stdout).toMatch(/list\/criminal +2 +30 +0 +only 30 of the 40 items that the site states/);
    expect(stdout).toContain('sites resume court.example');
  });

  it('refuses a file that is no site, and says what to do', async () => {
    const scraper = fileURLToPath(new URL('../../examples/county-court.ts', import.meta.url));
    const data = ['--data', scratch('data')];
    expect(await curlew(['sites', 'run', scraper, ...data])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('defineSite'),
    });
    expect(await curlew(['sites', 'run', 'nowhere.ts', ...data])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('nowhere.ts'),
    });
    expect(await curlew(['run', SITE, ...data])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('sites run'),
    });
    expect(await curlew(['sites', 'walk', SITE, ...data])).toMatchObject({ code: 2 });
    expect(await curlew(['sites', 'status', ...data])).toMatchObject({ code: 2 });
  });
});

// G10, the code around the page: what a step leaves behind when it is done, and entries and speculators that do not end. Neither
// ends the process or holds it for ever, and what it was is said with its name.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { htmlReply } from '../../sim/reply.ts';
import { type Site, startSite } from '../../sim/site.ts';
import type { RunSummary } from '../../src/ledger/run.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, resultIn, resumeArguments, runArguments } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { stepFailures } from '../fixtures/step-failures.ts';

const CARELESS = fileURLToPath(new URL('../fixtures/scrapers/careless.ts', import.meta.url));
/** Above what is read on the run's own thread. */
const LARGE = '<i>filler</i>'.repeat(25_000);

const scratch = scratchDirectory();

/** A page that lists one page for each mood; `filler` makes them larger. */
async function startCareless(moods: readonly string[], filler = ''): Promise<Site> {
  return closing(
    await startSite(({ pathname }) => {
      if (pathname === '/') return htmlReply(200, moods.map((_, n) => `<a href="/${n}">${n}</a>`).join(''));
      return htmlReply(200, `<h1>${moods[Number(pathname.slice(1))] ?? 'plain'}</h1>${filler}`);
    }),
  );
}

async function lastRun(data: string): Promise<{ readonly state: string; readonly requests: RunSummary['requests'] }> {
  const { stdout } = await curlew(['runs', '--data', data, '--json']);
  return JSON.parse(stdout.split('\n')[0] ?? '');
}

const REFUSED = [
  ['timer', 'A scraper must not call setTimeout().'],
  ['interval', 'A scraper must not call setInterval().'],
  ['immediate', 'A scraper must not call setImmediate().'],
  ['microtask', 'A scraper must not call queueMicrotask().'],
  ['fetch', 'A scraper must not call fetch().'],
  ['chdir', 'A scraper must not call process.chdir().'],
  ['rejection', 'Careless.item left a promise behind that was rejected: nobody waits for this'],
] as const;

it.each([
  ["the run's own thread", ''],
  ['a thread of its own', LARGE],
])('what a step leaves behind fails its page only, on %s', async (_, filler) => {
  const site = await startCareless(
    ['plain', ...REFUSED.map(([mood]) => mood), 'plain', 'promise loop', 'plain'],
    filler,
  );
  const ended = await curlew([
    ...runArguments(CARELESS, site, scratch('data')),
    '--entry',
    'all',
    '--step-timeout',
    '2s',
  ]);
  expect(resultIn(ended)).toMatchObject({
    exitCode: 1,
    status: 'completed',
    requests: { done: 4, failed: 8 },
    records: 3,
  });
  const reasons = stepFailures(scratch('data')).map(({ reason }) => reason);
  for (const [, said] of REFUSED) expect(reasons).toContainEqual(expect.stringContaining(said));
  expect(reasons).toContain('step_timeout: Careless.item was not done after 2 s');
});

it.each([
  ['late rejection', '', 'ENOENT'],
  ['late rejection', LARGE, 'ENOENT'],
  ['late throw', '', 'thrown later'],
  ['late throw', LARGE, 'thrown later'],
])('what fails long after its step is told at the end of the run: %s', async (mood, filler, what) => {
  const moods = ['plain', mood, ...Array.from({ length: filler === '' ? 30 : 5 }, () => 'plain')];
  const site = await startCareless(moods, filler);
  const data = scratch('data');
  const ended = await curlew([...runArguments(CARELESS, site, data), '--entry', 'all']);
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain(`Careless.item left something behind that failed later: `);
  expect(ended.stderr).toContain(what);
  expect(ended.stderr).toContain(`${site.url}/1`);
  // Nothing was lost by it, and nothing is left to do.
  const resumed = await curlew(resumeArguments(data));
  expect(resultIn(resumed)).toMatchObject({ exitCode: 0, requests: { done: moods.length + 1 }, records: moods.length });
});

it.each([
  ['never', 'Entry never of Careless was not done after 1 s.'],
  ['slowPattern', 'Entry slowPattern of Careless was not done after 1 s.'],
  ['stuckAt3', 'Speculator stuckAt3 of Careless was not done after 1 s, for id 3.'],
  ['rejecting', 'Entry rejecting of Careless left a promise behind that was rejected: nobody waits for this'],
])('an entry or speculator that does not end, ends the run with its name: %s', async (name, said) => {
  const site = await startCareless([]);
  const data = scratch('data');
  const ended = await curlew([...runArguments(CARELESS, site, data), '--entry', name, '--step-timeout', '1s']);
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
  expect(await lastRun(data)).toMatchObject({ state: 'interrupted' });
});

it('what an entry gave before it got stuck is kept', async () => {
  const site = await startCareless([]);
  const data = scratch('data');
  const args = [...runArguments(CARELESS, site, data), '--entry', 'stuckAfterSome', '--step-timeout', '1s'];
  const ended = await curlew(args);
  expect(ended.code).toBe(1);
  const { requests } = await lastRun(data);
  expect(requests.pending + requests.done).toBeGreaterThan(0);
  // The next start comes as far, and says the same.
  const resumed = await curlew(resumeArguments(data));
  expect(resumed).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Entry stuckAfterSome of Careless was not done'),
  });
});

it('an entry that yields very many requests is read as long as it yields', async () => {
  const site = await startCareless([]);
  const ended = await curlew([
    ...runArguments(CARELESS, site, scratch('data')),
    '--entry',
    'many',
    '--step-timeout',
    '1s',
  ]);
  expect(resultIn(ended)).toMatchObject({ status: 'completed', requests: { done: 50 } });
});

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, runArguments, sortedRecords, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { chromiumOrSkip } from '../fixtures/services.ts';

await chromiumOrSkip();

const scratch = scratchDirectory();
const SCRAPER = fileURLToPath(new URL('./scrapers/scripted-cases.ts', import.meta.url));

async function run(entry: string) {
  const court = closing(await startCourt({ seed: 7, highest: 3 }));
  const data = scratch('data');
  const ended = await curlew([...runArguments(SCRAPER, court, data), '--entry', entry]);
  return { court, data, summary: summaryIn(ended) };
}

it('reads what scripts put on a page and saves files, through Chromium, in a run like any other', async () => {
  const { court, data, summary } = await run('start');
  expect(summary).toMatchObject({ status: 'completed', health: 'ok', records: 3 + court.expectedDocuments().length });
  const records = (await sortedRecords(data)).map((line) => JSON.parse(line));
  const titles = records.filter(({ kind }) => kind === 'case').map((found) => found.data.title);
  expect(titles.sort()).toEqual(
    court
      .expectedCases()
      .map(({ title }) => title)
      .sort(),
  );
  await court.close();
  const replayed = await curlew(['replay', 'latest', '--diff', '--data', data]);
  expect(replayed.stdout).toContain('The same records as in run 1');
}, 120_000);

it('asks robots before a page is loaded in Chromium too', async () => {
  const { court, summary } = await run('forbidden');
  expect(summary.requests).toMatchObject({ skipped: 1, done: 0 });
  expect(court.log.entries.map(({ path }) => path)).toEqual(['/robots.txt']);
}, 120_000);

it('fails, and does not skip, a page whose address is refused', async () => {
  const { summary } = await run('guarded');
  expect(summary).toMatchObject({ status: 'completed', health: 'failed', requests: { failed: 1, skipped: 0 } });
}, 120_000);

it('fails what a browser cannot do, says why, and goes on with the rest', async () => {
  const { data, summary } = await run('wrong');
  expect(summary).toMatchObject({ status: 'completed', health: 'failed', requests: { failed: 3, pending: 0 } });
  const { stdout } = await curlew(['show', 'latest', '--data', data]);
  expect(stdout).toContain('h1[');
  expect(stdout).toContain('a browser is not sent to an address with POST');
}, 120_000);

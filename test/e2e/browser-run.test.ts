import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { run as runScraper } from '../../src/engine/run.ts';
import { entry } from '../../src/scraper/entry.ts';
import { get } from '../../src/scraper/request.ts';
import { Scraper } from '../../src/scraper/scraper.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, runArguments, sortedRecords, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { chromiumOrSkip } from '../fixtures/services.ts';
import { reply, startPages } from './browser-setup.ts';

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
});

it('asks robots before a page is loaded in Chromium too', async () => {
  const { court, summary } = await run('forbidden');
  expect(summary.requests).toMatchObject({ skipped: 1, done: 0 });
  expect(court.log.entries.map(({ path }) => path)).toEqual(['/robots.txt']);
});

it('fails, and does not skip, a page whose address is refused', async () => {
  const { summary } = await run('guarded');
  expect(summary).toMatchObject({ status: 'completed', health: 'failed', requests: { failed: 1, skipped: 0 } });
});

it('fails what a browser cannot do, says why, and goes on with the rest', async () => {
  const { data, summary } = await run('wrong');
  expect(summary).toMatchObject({ status: 'completed', health: 'failed', requests: { failed: 3, pending: 0 } });
  const { stdout } = await curlew(['show', 'latest', '--data', data]);
  expect(stdout).toContain('h1[');
  expect(stdout).toContain('a browser is not sent to an address with POST');
});

describe('a page that is not as it was wanted', () => {
  const preload = fileURLToPath(new URL('../fixtures/hasty-time.ts', import.meta.url));
  const scraper = (url: string, waitFor = '#verdict > p') => `
    import { entry, get, record, Scraper } from 'curlew';
    import { z } from 'zod';
    export default class Late extends Scraper {
      baseUrl = '${url}';
      start = entry(() => get({ url: '/case', via: 'browser', waitFor: '${waitFor}' }, this.read));
      *read(page) { yield record('title', z.string(), page.text('h1')); }
    }`;
  const fast = (data: string) => ['--rate', 'off', '--allow-host', '127.0.0.1', '--data', data, '--json'];

  it('is asked for once, kept with the selector that nothing matched, and failed in a replay too', async () => {
    let asked = 0;
    const page = () => {
      asked++;
      return reply(200, '<h1>Smith v Jones</h1><p id="verdict">not yet</p>');
    };
    const site = await startPages({ '/case': page });
    await writeFile(scratch('late.ts'), scraper(site.url));
    const data = scratch('data');
    const ended = await curlew(['run', scratch('late.ts'), ...fast(data)], { preload });
    expect(ended.code).toBe(1);
    expect(summaryIn(ended)).toMatchObject({ health: 'failed', requests: { failed: 1, unknown: 0 }, records: 0 });
    expect(asked).toBe(1);
    const shown = await curlew(['show', 'latest', '--data', data]);
    expect(shown.stdout).toContain('no element matched "#verdict > p" within 30 s after the page had loaded');
    const kept = await curlew(['page', 'latest', `${site.url}/case`, '--data', data]);
    expect(kept.stdout).toContain('<p id="verdict">not yet</p>');

    expect(summaryIn(await curlew(['replay', '1', '--data', data, '--json']))).toMatchObject({
      requests: { failed: 1 },
      records: 0,
    });
    // Whoever corrects the selector gets the page without asking for it again.
    await writeFile(scratch('late.ts'), scraper(site.url, '#verdict'));
    expect(summaryIn(await curlew(['replay', '1', '--data', data, '--json']))).toMatchObject({ records: 1 });
    expect(asked).toBe(1);
  });

  it.each([
    ['an endless script', '<script>for (;;);</script>'],
    ['alerts without end', '<script>for (;;) alert("again");</script>'],
    ['a script that begins after the load', '<script>onload = () => setTimeout(() => { for (;;); })</script>'],
    ['a page that is never complete', '<script>for (;;) document.write("<img src=/x>");</script>'],
  ])('because of %s has one limit for the whole load', async (_, script) => {
    let asked = 0;
    const page = () => {
      asked++;
      return reply(200, `<!doctype html><h1>here</h1>${script}`);
    };
    const site = await startPages({ '/case': page });
    class Endless extends Scraper {
      override baseUrl = site.url;
      start = entry(() => get({ url: '/case', via: 'browser', waitFor: 'h2' }));
    }
    const settings = { rate: 'off', allowHosts: ['127.0.0.1'], totalTimeoutMs: 3_000 } as const;
    const summary = await runScraper(new Endless(), { data: scratch('data'), ...settings }).summary;
    expect(summary).toMatchObject({ status: 'completed', requests: { failed: 1, unknown: 0, pending: 0 } });
    expect(asked).toBe(1);
  });
});

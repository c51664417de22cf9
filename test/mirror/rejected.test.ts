// What the file server gives that is no whole PDF: asked for once more with a new address, kept for a person to look at, and
// never taken for a judgment. What a reader would open is taken.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { jsonIn, mirror } from './mirror-process.ts';
import { csvOf, indexServer, openMirror, pdfOf } from './mirror-setup.ts';
import { filesIn, logOf, look, SOURCE, scrape, scrapeAt, startSite } from './scrape-setup.ts';
import { startStrangeCourt, tokenOf } from './strange-court.ts';

const scratch = scratchDirectory();
const data = () => scratch('data');
const page = (nonce: string) => `<script>var bfile = {"security":"${nonce}"};</script>`;
const courtOf = (tokens: readonly string[], box: RequestListener) => startStrangeCourt({ tokens, page, box });
const rejected = () => readdirSync(join(data(), 'quarantine', SOURCE)).sort();

describe('a file that is no whole PDF', () => {
  it.for([
    [1, 1],
    [2, 2],
    [3, 2],
    [6, 2],
  ] as const)('with --max-retries %d is asked for %d times, with a new address', async ([most, asked]) => {
    const court = await courtOf(['A1', 'B2'], (_, response) => void response.end('<html>not yet</html>'));
    const { code } = await mirror(
      data(),
      ['run', '--rate', 'off', '--delay', '0', '--allow-host', '127.0.0.1', '--max-retries', String(most)],
      { ...court.env, PLAYWRIGHT_RETRY_AFTER_SWEEP_SECONDS: '0' },
    );
    expect([code, court.files.length, court.forms.length]).toEqual([1, 2 * asked, 2 * asked]);
  });

  it('after another failure has its one more chance all the same', async () => {
    let calls = 0;
    const court = await courtOf(['FSD01'], (request, response) => {
      calls++;
      if (calls === 1) response.writeHead(500).end();
      else response.end(calls === 2 ? 'rubbish'.repeat(400) : pdfOf(tokenOf(request)));
    });
    expect(await scrapeAt(data(), { maxRetries: 3 }, { env: court.env })).toMatchObject({ downloadsCompleted: 1 });
  });

  it('is kept for a person, named in the report, and nowhere among the judgments', async () => {
    const court = await courtOf(['FSD01'], (_, response) => void response.end(pdfOf('FSD01').slice(0, -20)));
    await scrapeAt(data(), {}, { env: court.env });
    const [name = '', ...others] = rejected();
    expect([name, others]).toEqual([expect.stringMatching(/^FSD01\.[0-9a-f]{8}\.rejected$/), []]);
    expect(readFileSync(join(data(), 'quarantine', SOURCE, name), 'utf8')).toBe(pdfOf('FSD01').slice(0, -20));
    expect(filesIn(data())).toEqual({});
    const report = jsonIn(await mirror(data(), ['report', '--json']));
    expect(report.missing).toMatchObject([{ reason: 'malformed_pdf', detail: expect.stringContaining(name) }]);
    expect((await mirror(data(), ['verify'])).code).toBe(0);
    expect(statSync(join(data(), 'quarantine', SOURCE, name)).mode & 0o077).toBe(0);
  });

  it('is kept within a bound: the oldest go first, and one that is too large is not kept', async () => {
    const tokens = ['A1', 'B2', 'C3', 'D4', 'E5'];
    const size = (token: string) => (token === 'E5' ? 2 ** 20 + 1 : 400_000);
    const box: RequestListener = (request, response) => void response.end('x'.repeat(size(tokenOf(request))));
    const court = await courtOf(tokens, box);
    const env = { ...court.env, BAILIIKC_QUARANTINE_MB: '1' };
    await scrapeAt(data(), { maxRetries: 1, concurrency: 1 }, { env });
    expect(rejected().map((name) => name.slice(0, 2))).toEqual(['C3', 'D4']);
    await scrapeAt(data(), { maxRetries: 1 }, { env: { ...env, BAILIIKC_QUARANTINE_MB: '0' } });
    expect(rejected()).toHaveLength(2);
  });
});

describe('a file that a reader opens', () => {
  it.for<[string, (pdf: string) => string]>([
    ['a byte order mark before it', (pdf) => `\ufeff${pdf}`],
    ['rubbish before it', (pdf) => `${'\r\n'.repeat(300)}${pdf}`],
    ['kilobytes behind it', (pdf) => `${pdf}<!-- cached -->${'\n'.repeat(9_000)}`],
  ])('with %s is held as it came', async ([, around]) => {
    const court = await courtOf(['FSD01'], (request, response) => void response.end(around(pdfOf(tokenOf(request)))));
    expect(await scrapeAt(data(), {}, { env: court.env })).toMatchObject({ downloadsCompleted: 1, errorCounts: {} });
    expect(readFileSync(join(data(), 'pdfs', SOURCE, 'FSD01.pdf'), 'utf8')).toBe(around(pdfOf('FSD01')));
  });
});

describe('a case that turns criminal', () => {
  it('is exported again, as criminal and withdrawn, and keeps its file', async () => {
    const server = await indexServer();
    server.serve(csvOf([{ token: 'A1' }, { token: 'B2' }, { token: 'C3' }]));
    const held = await openMirror(data(), server);
    await held.sync();
    const run = await held.start();
    for (const token of ['A1', 'B2', 'C3']) await held.store(run, await held.caseOf(token));
    await run.end('completed');
    const lines = async (since: number) =>
      (await mirror(data(), ['export', '--since', String(since)])).stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    const first = await lines(0);
    expect(first.map(({ is_criminal, withdrawn }) => [is_criminal, withdrawn])).toEqual(Array(3).fill([false, null]));
    server.serve(csvOf([{ token: 'A1', category: 'Criminal' }, { token: 'B2' }]));
    await held.sync({ acceptShrink: true });
    const news = await lines(first.at(-1).cursor);
    expect(news).toMatchObject([
      { action_token: 'A1', is_criminal: true, is_active: true, withdrawn: 'criminal' },
      { action_token: 'C3', is_criminal: false, is_active: false, withdrawn: 'gone_from_index' },
    ]);
    expect(news.every(({ file_path }) => statSync(join(data(), file_path)).isFile())).toBe(true);
  });
});

describe('the log of a run', () => {
  it('names the run in every line, and sums the executor up', async () => {
    const site = await startSite({ cases: 40 });
    site.switchOn('pdf-404', { token: site.corpus.wanted('v1')[3]?.token ?? '' });
    site.switchOn('nonce-rotated', { after: 2, count: 1 });
    const { runId } = await scrape(site, data());
    const lines = logOf(data()).trim().split('\n');
    expect(lines.filter((line) => !line.includes(` run_id=${runId} `))).toEqual([]);
    for (const label of ['PLAN', 'NAV', 'TABLE', 'BOX', 'DECISION', 'STATE']) {
      expect(lines.some((line) => line.startsWith(`[SCRAPER][${label}] `))).toBe(true);
    }
    expect(lines.filter((line) => /phase=run step=(?:start|end)/.test(line))).toHaveLength(2);
    expect(logOf(data())).toMatch(/phase=download_executor kind=summary peak_in_flight=\d+ max_parallel=4/);
    expect(await look(data(), ({ mirror: ledger }) => ledger.run(runId))).toMatchObject({ status: 'completed' });
  });
});

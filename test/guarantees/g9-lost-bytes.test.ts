// G9: a run whose archive lost bytes says which pages are affected, and fetches them again when it is told to. What it comes
// to then is what an undisturbed run comes to.

import { mkdir, rm, stat, truncate } from 'node:fs/promises';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { segmentName } from '../../src/archive/segment-name.ts';
import { checkArchive } from '../fixtures/check-archive.ts';
import { closing } from '../fixtures/closing.ts';
import {
  curlew,
  type Ended,
  resultIn,
  resumeArguments,
  runArguments,
  sortedRecords,
  startCurlew,
} from '../fixtures/curlew-process.ts';
import { listening } from '../fixtures/listening.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const fixture = (path: string) => fileURLToPath(new URL(`../fixtures/${path}`, import.meta.url));
const GRAPH = fixture('scrapers/graph.ts');
const TOUR = fixture('scrapers/court-tour.ts');
const PAGES = 300;

const scratch = scratchDirectory();

const segmentPath = (segment: number, data = 'data') => scratch(data, 'archive', segmentName(segment));
const refetch = () => curlew([...resumeArguments(scratch('data')), '--refetch-lost']);

/** A court in which every tenth leaf is missing: all these have the same body, and so are repetitions in the archive. */
async function startGraph(): Promise<RunningCourt> {
  const court = closing(await startCourt({ graphPages: PAGES }));
  court.faults.set({ kind: 'status', status: 404, path: /^\/graph\/2\d7$/ });
  return court;
}

/** Begins a run and stops it after so many requests. */
async function runHalfWay(scraper: string, court: RunningCourt, arrivals: number): Promise<void> {
  const before = court.log.entries.length;
  court.setLatency([2, 6]);
  const life = startCurlew(runArguments(scraper, court, scratch('data')));
  await Promise.race([court.log.arrival(({ n }) => n >= before + arrivals), life.ended]);
  life.kill('SIGINT');
  const stopped = await life.ended;
  expect(stopped.code).toBe(130);
  court.setLatency([0, 0]);
}

/** Address and hash of what is archived and not lost, sorted. The search of the court has another token in every answer. */
function bodiesOf(data: string, run = 1): string[] {
  const ledger = new DatabaseSync(scratch(data, 'ledger.sqlite'), { readOnly: true });
  try {
    return ledger
      .prepare(
        `SELECT exchanges.url || ' ' || hex(body_sha256) AS body FROM exchanges JOIN requests ON requests.id = request_id
         WHERE run_id = ? AND lost IS NULL`,
      )
      .all(run)
      .map(({ body }) =>
        String(body)
          .replace(/^http:..[^/]*/, '')
          .replace(/^(.search.*) .*/, '$1'),
      )
      .sort();
  } finally {
    ledger.close();
  }
}

function query(sql: string): Record<string, unknown>[] {
  const ledger = new DatabaseSync(scratch('data', 'ledger.sqlite'), { readOnly: true });
  try {
    return ledger.prepare(sql).all();
  } finally {
    ledger.close();
  }
}

async function expectUndisturbed(resumed: Ended, undisturbed: Ended): Promise<void> {
  expect(resumed.stderr).not.toContain('unexpected');
  expect(resultIn(resumed)).toEqual(resultIn(undisturbed));
  const records = await sortedRecords(scratch('data'));
  expect(records).toEqual(await sortedRecords(scratch('undisturbed')));
  expect(new Set(records).size).toBe(records.length);
  expect(bodiesOf('data')).toEqual(bodiesOf('undisturbed'));
  await checkArchive(scratch('data'));
  expect(await curlew(['verify', '--data', scratch('data')])).toMatchObject({ code: 0 });
  const replayed = await curlew(['replay', '1', '--data', scratch('data'), '--json', '--diff'], {
    preload: fixture('no-network.ts'),
  });
  expect(replayed.stderr).not.toContain('tried to use the network');
  expect(replayed.code).toBe(0);
}

it('a directory in the place of a segment is named by resume, and nothing is given up for it', async () => {
  const court = await startGraph();
  await runHalfWay(GRAPH, court, 60);
  await rm(segmentPath(1));
  await mkdir(segmentPath(1));
  const asked = court.log.entries.length;
  for (const resumed of [await curlew(resumeArguments(scratch('data'))), await refetch()]) {
    expect(resumed).toMatchObject({ code: 1, stderr: expect.stringContaining('is not a file') });
    expect(resumed.stderr).toContain('move away what lies there');
    expect(resumed.stderr).not.toContain('    at ');
  }
  expect(court.log.since(asked)).toEqual([]);
});

describe('a run that was stopped half-way and whose archive then', () => {
  it.each([
    [
      'lost the end of a segment',
      async () => truncate(segmentPath(1), Math.floor((await stat(segmentPath(1))).size / 2)),
    ],
    ['lost a segment', async () => rm(segmentPath(1))],
  ])('%s names the pages, and --refetch-lost makes it whole', async (_, lose) => {
    const court = await startGraph();
    const undisturbed = await curlew(runArguments(GRAPH, court, scratch('undisturbed')));
    await runHalfWay(GRAPH, court, 150);
    await lose();
    const before = court.log.entries.length;

    const refused = await curlew(resumeArguments(scratch('data')));
    expect(refused.code).toBe(1);
    const [, count, addresses = ''] = /(\d+) page\(s\) of run 1 are affected: (.*)/.exec(refused.stderr) ?? [];
    expect(Number(count)).toBeGreaterThan(40);
    expect(addresses).toContain(`${court.url}/graph/`);
    expect(refused.stderr).toMatch(/curlew\S* resume .*1 --refetch-lost/);
    expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'archive_damaged' } });
    expect(court.log.since(before)).toEqual([]);

    await expectUndisturbed(await refetch(), undisturbed);
    // Nothing is left to be accepted, and nothing is asked for once more.
    const after = court.log.entries.length;
    expect((await curlew(resumeArguments(scratch('data')))).code).toBe(0);
    expect(court.log.since(after)).toEqual([]);
  });

  it('lost a segment is whole again also when the fetching is killed', async () => {
    const court = await startGraph();
    const undisturbed = await curlew(runArguments(GRAPH, court, scratch('undisturbed')));
    await runHalfWay(GRAPH, court, 150);
    await rm(segmentPath(1));
    const before = court.log.entries.length;
    const life = startCurlew([...resumeArguments(scratch('data')), '--refetch-lost']);
    await Promise.race([court.log.arrival(({ n }) => n >= before + 40), life.ended]);
    life.kill('SIGKILL');
    expect((await life.ended).signal).toBe('SIGKILL');
    await expectUndisturbed(await curlew(resumeArguments(scratch('data'))), undisturbed);
  });
});

describe('a completed run that lost a segment', () => {
  it('is fetched again with its downloads, redirects, forms and sessions', async () => {
    const court = closing(await startCourt({ seed: 3, highest: 60, redirectMissing: [[55, 55]], holes: [[57, 57]] }));
    const undisturbed = await curlew(runArguments(TOUR, court, scratch('undisturbed')));
    await curlew(runArguments(TOUR, court, scratch('data')));
    await rm(segmentPath(1));
    const refused = await curlew(resumeArguments(scratch('data')));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('/list/civil') });
    await expectUndisturbed(await refetch(), undisturbed);
  });

  it('keeps the rows of what is lost, with the reason and what took their place', async () => {
    const court = await startGraph();
    await curlew(runArguments(GRAPH, court, scratch('data')));
    await rm(segmentPath(1));
    expect((await refetch()).code).toBe(0);
    expect(query('SELECT count(*) AS n FROM exchanges')).toEqual([{ n: 2 * PAGES }]);
    expect(query('SELECT DISTINCT lost, replaced_by IS NULL AS open FROM exchanges WHERE id <= 300')).toEqual([
      { lost: expect.stringMatching(/^segment 1 has 0 of \d+ bytes$/), open: 0 },
    ]);
    expect(query('SELECT count(*) AS n FROM bodies WHERE exchange_id <= 300')).toEqual([{ n: 0 }]);
  });

  it('and lost nothing else fetches nothing again', async () => {
    const court = await startGraph();
    await curlew(runArguments(GRAPH, court, scratch('data')));
    const before = court.log.entries.length;
    expect((await refetch()).code).toBe(0);
    expect(court.log.since(before)).toEqual([]);
  });
});

describe('a repetition of lost bytes in another run', () => {
  /** A site whose pages all say the same. Run 1 holds the bytes that the repetition of run 2 refers to; they are lost. */
  async function loseOriginal() {
    const site = { text: '<p>the same</p>', asked: [] as string[] };
    const server = createServer(({ url = '' }, response) => {
      if (url === '/robots.txt') return void response.writeHead(404).end();
      site.asked.push(url);
      response.end(site.text);
    });
    const { port, close } = await listening(server);
    closing({ close });
    const url = (path: string) => `http://127.0.0.1:${port}${path}`;
    for (const path of ['/a', '/b']) {
      const where = ['--allow-host', `127.0.0.1:${port}`, '--data', scratch('data'), '--rate', 'off'];
      expect((await curlew(['fetch', url(path), ...where])).code).toBe(0);
    }
    expect(query('SELECT revisit_of FROM exchanges WHERE id = 2')).toEqual([{ revisit_of: 1 }]);
    await rm(segmentPath(1));
    const read = (run: number, path: string) => curlew(['page', String(run), url(path), '--data', scratch('data')]);
    expect((await read(2, '/b')).code).toBe(1);
    const refetchRun = (run: number) =>
      curlew(['resume', String(run), '--refetch-lost', '--data', scratch('data'), '--json']);
    site.asked.length = 0;
    return { site, read, refetchRun };
  }

  it('can be read again when the bytes were fetched again', async () => {
    const { site, read, refetchRun } = await loseOriginal();
    expect((await refetchRun(1)).code).toBe(0);
    expect(site.asked).toEqual(['/a']);
    expect(await read(1, '/a')).toMatchObject({ code: 0, stdout: site.text });
    expect(await read(2, '/b')).toMatchObject({ code: 0, stdout: site.text });
  });

  it('is fetched again by its own run', async () => {
    const { site, read, refetchRun } = await loseOriginal();
    expect((await refetchRun(2)).code).toBe(0);
    expect(site.asked).toEqual(['/b']);
    expect(await read(2, '/b')).toMatchObject({ code: 0, stdout: site.text });
    // And the original's own run as well, of which nothing was accepted yet.
    expect((await curlew(['resume', '1', '--data', scratch('data')])).code).toBe(1);
    expect((await refetchRun(1)).code).toBe(0);
    expect(await read(1, '/a')).toMatchObject({ code: 0, stdout: site.text });
  });

  it('stays lost when the site says something else, until its own run fetches it again', async () => {
    const { site, read, refetchRun } = await loseOriginal();
    site.text = '<p>another</p>';
    expect((await refetchRun(1)).code).toBe(0);
    expect(await read(1, '/a')).toMatchObject({ code: 0, stdout: site.text });
    expect((await read(2, '/b')).code).toBe(1);
    expect((await refetchRun(2)).code).toBe(0);
    expect(site.asked).toEqual(['/a', '/b']);
    expect(await read(2, '/b')).toMatchObject({ code: 0, stdout: site.text });
  });
});

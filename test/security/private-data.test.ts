// What is kept is for its owner only: the modes of a data directory, and archives without the secrets of requests.

import { createReadStream } from 'node:fs';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { WARCParser } from 'warcio';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, runArguments, sortedRecords, startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { startMirror } from '../mirror/mirror-process.ts';
import { startSite } from '../mirror/scrape-setup.ts';

const TOUR = fileURLToPath(new URL('../fixtures/scrapers/court-tour.ts', import.meta.url));
const scratch = scratchDirectory();

const tourCourt = async (): Promise<RunningCourt> =>
  closing(await startCourt({ seed: 3, highest: 60, redirectMissing: [[55, 55]], holes: [[57, 57]], compress: true }));

/** Mode of each file and directory below `directory`, itself included, in octal. */
async function modesIn(directory: string): Promise<Record<string, string>> {
  const paths = ['.', ...(await readdir(directory, { recursive: true }))];
  const modes = paths.map(async (path) => [path, ((await stat(join(directory, path))).mode & 0o777).toString(8)]);
  return Object.fromEntries(await Promise.all(modes));
}

async function expectPrivate(directory: string): Promise<void> {
  const modes = await modesIn(directory);
  expect(Object.keys(modes).length).toBeGreaterThan(3);
  expect(Object.entries(modes).filter(([, mode]) => mode !== '700' && mode !== '600')).toEqual([]);
}

describe('a new data directory', () => {
  it('of a run, with its downloads and logs, is for its owner only', async () => {
    await curlew(runArguments(TOUR, await tourCourt(), scratch('new', 'data')));
    await expectPrivate(scratch('new', 'data'));
  });

  it('is for its owner only while it is being written', async () => {
    const court = await tourCourt();
    court.faults.set({ kind: 'silent', path: '/list/civil', count: 1 });
    const run = startCurlew(runArguments(TOUR, court, scratch('data')));
    await court.log.arrival(({ path }) => path === '/list/civil');
    await expectPrivate(scratch('data'));
    run.kill('SIGKILL');
    await run.ended;
  });

  it('of a mirror and of a queue is for its owner only', async () => {
    await startMirror(await startSite({ cases: 40 }), scratch('data'), ['--limit', '3']).ended;
    await curlew(['enqueue', 'http://127.0.0.1:1/', '--data', scratch('data')]);
    await expectPrivate(scratch('data'));
  });

  it('keeps the mode that somebody gave it', async () => {
    await mkdir(scratch('shared'));
    await chmod(scratch('shared'), 0o750);
    await curlew(runArguments(TOUR, await tourCourt(), scratch('shared')));
    expect((await modesIn(scratch('shared')))['.']).toBe('750');
  });
});

describe('--redact-archive', () => {
  async function requestsInArchive(): Promise<string> {
    let text = '';
    for (const name of await readdir(scratch('data', 'archive'))) {
      for await (const record of new WARCParser(createReadStream(scratch('data', 'archive', name)), {
        parseHttp: false,
      })) {
        const block = Buffer.from(await record.readFully(false)).toString('latin1');
        if (record.warcType === 'request') text += `${block}\n`;
      }
    }
    return text;
  }

  it('keeps cookies and tokens of requests out, also after a resume, and the replay is the same', async () => {
    const court = await tourCourt();
    const killed = await curlew([...runArguments(TOUR, court, scratch('data')), '--redact-archive'], {
      env: { CURLEW_CRASH_AT: 'after-commit:2' },
    });
    expect(killed.signal).toBe('SIGKILL');
    expect((await curlew(['resume', 'latest', '--data', scratch('data'), '--json'])).code).toBe(0);
    const requests = await requestsInArchive();
    expect(requests).toMatch(/^cookie: \*\*\*\r$/im);
    expect(requests).toMatch(/\btoken=\*\*\*/);
    expect(requests).not.toMatch(/court_session|\btoken=[^*]/);
    expect(await curlew(['verify', '--data', scratch('data')])).toMatchObject({ code: 0 });
    await curlew(['replay', '1', '--data', scratch('data'), '--json']);
    expect(await sortedRecords(scratch('data'), '2')).toEqual(await sortedRecords(scratch('data'), '1'));
  });

  it('is off unless it is asked for: the archive has the request as it was sent', async () => {
    await curlew(runArguments(TOUR, await tourCourt(), scratch('data')));
    expect(await requestsInArchive()).toMatch(/court_session=/);
  });
});

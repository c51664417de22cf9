// A data directory of the first edition opens, is read, replayed and continued by this one. The fixture holds a run of each
// kind, a run and a walk over lists that were killed, and a queue.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, type Ended, resultIn, sortedRecords, summaryIn } from '../fixtures/curlew-process.ts';
import { httpProxy } from '../fixtures/http-proxy.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const FIRST_EDITION = file('../fixtures/old-data/first-edition.tar.gz');
const COUNTY_COURT = file('../../examples/county-court.ts');
const LISTING_SITE = file('../../examples/listing-site.ts');

const scratch = scratchDirectory();

beforeEach(() => {
  execFileSync('tar', ['-xzf', FIRST_EDITION, '-C', scratch()]);
});

const command = (...args: string[]): Promise<Ended> => curlew([...args, '--data', scratch('data'), '--json']);

const linesIn = ({ stdout }: Ended) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** The court that the fixture was made from, under the address that it had then. Gives the options that lead to it. */
async function startSameCourt(): Promise<string[]> {
  const court = closing(await startCourt({ highest: 30, holes: [[12, 13]], graphPages: 40 }));
  const proxy = closing(await httpProxy({ forwardTo: court.url }));
  return ['--proxy', proxy.url, '--rate', 'off'];
}

describe('a data directory of the first edition', () => {
  it('shows its runs, records, hosts and queue', async () => {
    expect(linesIn(await command('runs')).map(({ run, health }) => [run, health])).toEqual([
      [6, 'ok'],
      [5, 'ok'],
      [4, undefined],
      [3, 'ok'],
      [2, 'ok'],
      [1, 'ok'],
    ]);
    for (const run of ['1', '2', '3', '4', '5', '6']) expect((await command('show', run)).stderr).toBe('');
    expect(await sortedRecords(scratch('data'), '1')).toHaveLength(53);
    expect((await command('hosts')).code).toBe(0);
    expect((await command('dead-letters', 'list')).code).toBe(0);
    expect((await command('mirror', 'verify')).code).toBe(0);
    expect((await command('sites', 'status')).code).toBe(0);
  });

  it('replays a run of the first edition with the same records', async () => {
    const replayed = await curlew([
      'replay',
      '1',
      '--file',
      COUNTY_COURT,
      '--diff',
      '--data',
      scratch('data'),
      '--json',
    ]);
    expect([replayed.code, linesIn(replayed).at(-1)]).toMatchObject([0, { added: 0, lost: 0, changed: 0, unread: 0 }]);
  });

  it('continues a run that was killed, and loses nothing', async () => {
    const where = await startSameCourt();
    const resumed = await command('resume', '4', '--file', COUNTY_COURT, ...where);
    expect(resultIn(resumed)).toMatchObject({ exitCode: 0, health: 'ok', records: 53, requests: { done: 55 } });
    expect(await contents('4')).toEqual(await contents('1'));
  });

  it('continues a walk over lists that was killed', async () => {
    const where = await startSameCourt();
    const resumed = await command('sites', 'resume', LISTING_SITE, ...where);
    expect(summaryIn(resumed)).toMatchObject({ health: 'ok', records: 28 });
  });
});

/** What the records of a run say, wherever the court was. */
async function contents(run: string): Promise<string[]> {
  const lines = await sortedRecords(scratch('data'), run);
  return lines.map((line) => JSON.stringify(JSON.parse(line).data)).sort();
}

// A data directory that cannot be used, a ledger that cannot be read, a disk that is full: each is said in one sentence,
// with what to do, and nothing that was there is harmed.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { messageOf } from '../../src/platform/errors.ts';
import { checkArchive } from '../fixtures/check-archive.ts';
import { curlew, type Ended, resumeArguments, runArguments, sortedRecords } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const BIN = new URL('../../bin/curlew.js', import.meta.url).pathname;
const COUNTY_COURT = new URL('../../examples/county-court.ts', import.meta.url).pathname;
const scratch = scratchDirectory();

let court: RunningCourt;
beforeAll(async () => {
  court = await startCourt({ seed: 11, highest: 120 });
});
afterAll(() => court.close());

function runInto(data: string, ...options: string[]): Promise<Ended> {
  return curlew([...runArguments(COUNTY_COURT, court, data), ...options]);
}

const KILLED_IN_TRANSACTION = `
  const { DatabaseSync } = require('node:sqlite');
  const ledger = new DatabaseSync(process.argv[1]);
  ledger.exec('PRAGMA cache_size = 1; BEGIN; CREATE TABLE filler (text)');
  for (let row = 0; row < 2_000; row++) ledger.exec("INSERT INTO filler VALUES (hex(randomblob(500)))");
  process.kill(process.pid, 'SIGKILL');
`;

function expectRefusal({ code, stdout, stderr }: Ended, errorCode: string): string {
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^curlew: .*\n {2}\S/m) });
  expect(stderr).not.toMatch(/unexpected|\n {4}at /);
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '').error.code).toBe(errorCode);
  return stderr;
}

describe('a data directory', () => {
  it.each([
    ['runs', []],
    ['show', ['latest']],
    ['resume', ['latest']],
    ['hosts', []],
  ])('whose first transaction was killed can be read: %s', async (command, args) => {
    const data = scratch('data');
    await mkdir(data);
    // A rollback journal of a transaction whose pages are partly in the file: SQLite calls it hot.
    const killed = spawnSync(process.execPath, ['-e', KILLED_IN_TRANSACTION, join(data, 'ledger.sqlite')]);
    expect([killed.signal, existsSync(join(data, 'ledger.sqlite-journal'))]).toEqual(['SIGKILL', true]);
    const { stderr } = await curlew([command, ...args, '--data', data]);
    expect(stderr).not.toMatch(/readonly|cannot be used/);
    expect(existsSync(join(data, 'ledger.sqlite-journal'))).toBe(false);
  });

  it.each(['EIO', 'EMFILE', 'ENAMETOOLONG', 'EDQUOT'])('that cannot be made for %s', async (code) => {
    const env = { CURLEW_TEST_MKDIR_ERROR: code };
    const preload = new URL('../fixtures/failing-mkdir.ts', import.meta.url).pathname;
    const ended = await curlew(runArguments(COUNTY_COURT, court, scratch('data')), { preload, env });
    expectRefusal(ended, code === 'EDQUOT' ? 'disk_full' : 'data_directory');
  });

  it('that lies below a file', async () => {
    await writeFile(scratch('file'), 'mine');
    const said = expectRefusal(await runInto(scratch('file', 'data')), 'data_directory');
    expect(said).toContain(`The data directory cannot be used: ${scratch('file', 'data')}`);
    expect(said).toContain('choose another with --data');
  });

  it('that is a file', async () => {
    await writeFile(scratch('file'), 'mine');
    expectRefusal(await runInto(scratch('file')), 'data_directory');
    expect(await readFile(scratch('file'), 'utf8')).toBe('mine');
  });

  it.runIf(existsSync('/proc/self'))('where nothing can be made', async () => {
    expectRefusal(await runInto('/proc/curlew-data'), 'data_directory');
  });

  it('that a fetcher cannot use', async () => {
    await writeFile(scratch('file'), 'mine');
    expectRefusal(
      await curlew(['fetcher', '--embedded', '--data', scratch('file', 'data'), '--json']),
      'data_directory',
    );
  });

  it.each([['tail'], ['dead-letters', 'list'], ['dead-letters', 'drop', '--all']])(
    'that was misspelt is not made by %s %s',
    async (...command) => {
      const { code, stderr } = await curlew([...command, '--data', scratch('misspelt')]);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no queue in') });
      expect(existsSync(scratch('misspelt'))).toBe(false);
    },
  );

  it('whose archive cannot be written', async () => {
    await mkdir(scratch('data'));
    await writeFile(scratch('data', 'archive'), 'a file in its place');
    expectRefusal(await runInto(scratch('data')), 'data_directory');
  });
});

describe('a ledger', () => {
  it('that a newer Curlew wrote is refused by every command, and left alone', async () => {
    await runInto(scratch('data'), '--entry', 'civil');
    const ledger = new DatabaseSync(scratch('data', 'ledger.sqlite'));
    ledger.exec('PRAGMA user_version = 999');
    ledger.close();
    for (const args of [['runs'], ['show', 'latest'], ['records', 'latest'], ['resume', 'latest']]) {
      const ended = await curlew([...args, '--data', scratch('data'), '--json']);
      expect(expectRefusal(ended, 'ledger_newer')).toContain('Update Curlew');
    }
    expectRefusal(await runInto(scratch('data')), 'ledger_newer');
  });

  it('that is none', async () => {
    await mkdir(scratch('data'));
    await writeFile(scratch('data', 'ledger.sqlite'), 'This is not a database, whatever its name may say. '.repeat(99));
    const said = expectRefusal(await runInto(scratch('data')), 'ledger_corrupt');
    expect(said).toContain('is not a readable ledger');
    expectRefusal(await curlew(['runs', '--data', scratch('data'), '--json']), 'ledger_corrupt');
  });

  it('that is damaged', async () => {
    await runInto(scratch('data'));
    const path = scratch('data', 'ledger.sqlite');
    const { size } = await stat(path);
    const file = await open(path, 'r+');
    // All but the first page, which holds the header and the names of the tables.
    await file.write(Buffer.alloc(size - 4096, 0xa5), 0, size - 4096, 4096);
    await file.close();
    expectRefusal(await curlew(['show', 'latest', '--data', scratch('data'), '--json']), 'ledger_corrupt');
    expectRefusal(await curlew(resumeArguments(scratch('data'))), 'ledger_corrupt');
  });

  it('that is looked at before its tables are made', async () => {
    await mkdir(scratch('data'));
    // What another process has done when it has opened the file and not got further.
    await writeFile(scratch('data', 'ledger.sqlite'), '');
    const { code, stderr } = await curlew(['show', 'latest', '--data', scratch('data')]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('There are no runs in this data directory yet'),
    });
  });
});

const mounted: string[] = [];
// Before the scratch directory goes, since hooks run from the last to the first.
afterEach(() => {
  for (const directory of mounted.splice(0)) execFileSync('umount', [directory]);
});

/** A disk of so many KiB, or undefined where only root may mount one. */
function mountDisk(directory: string, kib: number): { resize(kib: number): void } | undefined {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kib}k`, 'tmpfs', directory], { stdio: 'pipe' });
  } catch (error) {
    console.warn(`skipped, since no disk can be mounted here: ${messageOf(error)}`);
    return undefined;
  }
  mounted.push(directory);
  return {
    resize: (to) => void execFileSync('mount', ['-o', `remount,size=${to}k`, directory]),
  };
}

describe('a full disk', () => {
  it.for([700, 1_000, 1_300])('of %d KiB ends the run, and with more room nothing is lost', async (kib, { skip }) => {
    const directory = scratch('disk');
    await mkdir(directory);
    const disk = mountDisk(directory, kib) ?? skip('no disk can be mounted here');
    const data = join(directory, 'data');
    const said = expectRefusal(await runInto(data), 'disk_full');
    expect(said).toContain('The disk is full');
    expect(said).toMatch(/[Mm]ake room|Free some space/);
    const before = await sortedRecords(data);
    expectRefusal(await curlew(resumeArguments(data)), 'disk_full');

    disk.resize(64 * 1024);
    expect((await curlew(resumeArguments(data))).code).toBe(0);
    const records = await sortedRecords(data);
    expect(records).toEqual(expect.arrayContaining(before));
    expect(new Set(records).size).toBe(court.expectedCases().length + court.expectedDocuments().length);
    expect(records).toHaveLength(new Set(records).size);
    await checkArchive(data);
  });

  it.runIf(existsSync('/dev/full'))('is told by whatever is printed there, and by its exit code', () => {
    for (const command of ['--help', 'runs --help', 'fetch --help']) {
      const { status, stderr } = spawnSync('sh', ['-c', `"${process.execPath}" "${BIN}" ${command} > /dev/full`], {
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^curlew: What there is to print could not be written: .*\n {2}Free some space/),
      ]);
      expect(stderr).not.toMatch(/\n {4}at /);
    }
  });

  it('is told by an export, which leaves no half file behind', async ({ skip }) => {
    const directory = scratch('disk');
    await mkdir(directory);
    if (mountDisk(directory, 8) === undefined) skip('no disk can be mounted here');
    await runInto(scratch('data'));
    const { code, stderr } = await curlew([
      'export',
      'latest',
      '--data',
      scratch('data'),
      '-o',
      join(directory, 'all'),
    ]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('The disk is full') });
    expect(existsSync(join(directory, 'all'))).toBe(false);
    expect(existsSync(join(directory, 'all.partial'))).toBe(false);
  });
});

// `curlew verify` as a person uses it. That it finds every kind of damage is for agreement.test.ts.

import { execFileSync } from 'node:child_process';
import { chmod, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import type { Finding } from '../../src/engine/verify/finding.ts';
import { verifyData } from '../../src/engine/verify/verify-data.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, type Ended, runArguments, startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { NO_FILES, putInstead } from './damages.ts';
import {
  aDownload,
  aPage,
  changeFile,
  exchanges,
  flipBit,
  flipPage,
  inLedger,
  segmentPath,
  sha256Of,
  tour,
  tourCourt,
} from './tour.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const GRAPH = path('../fixtures/scrapers/graph.ts');
const FIRST_EDITION = path('../fixtures/old-data/first-edition.tar.gz');

const scratch = scratchDirectory();
const data = () => scratch('data');
const verify = (...args: string[]): Promise<Ended> => curlew(['verify', ...args, '--data', data()]);

/** Root may read everything, unless these rights are taken away. */
const AS_ANYBODY = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

async function findings(): Promise<Finding[]> {
  const found: Finding[] = [];
  for await (const finding of verifyData(data(), { clock: systemClock, random: systemRandom })) found.push(finding);
  return found;
}

/** Every file with its hash, but for the index of the log, which SQLite makes to read it. */
async function content(): Promise<Record<string, string>> {
  const entries = await readdir(data(), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const kept = paths.filter((name) => !/-(wal|shm)$/.test(name)).sort();
  return Object.fromEntries(await Promise.all(kept.map(async (name) => [name, await sha256Of(name)] as const)));
}

describe('curlew verify', () => {
  it('says what was checked when all is well, and changes nothing', async () => {
    await tour(await tourCourt(), data());
    const before = await content();
    const verified = await verify();
    expect(verified).toMatchObject({ code: 0, stderr: '' });
    const [held, files] = inLedger(data(), (ledger) => {
      const row = ledger.prepare('SELECT count(*) AS n, count(file_path) AS files FROM exchanges').get();
      return [row?.n, row?.files];
    });
    expect(verified.stdout).toBe(
      `Checked: the ledger, 1 segment, ${held} pages and downloads, ${files} downloaded files, 0 files of mirrors.\n` +
        'All of it is as it was stored.\n',
    );
    expect(await content()).toEqual(before);
  });

  it('names each damage by its address, and says what to do', async () => {
    await tour(await tourCourt(), data());
    const [page, file] = [aPage(data()), aDownload(data())];
    await flipPage(data(), page);
    await rm(join(data(), 'files', file.file_path));
    const verified = await verify();
    expect(verified).toMatchObject({ code: 1, stderr: '' });
    expect(verified.stdout).toContain(`member_unreadable  ${page.url}, run 1, archive/curlew-00000001.warc.gz at byte`);
    expect(verified.stdout).toContain(`or fetch ${page.url} again.`);
    expect(verified.stdout).toContain(`file_missing  files/${file.file_path}, run 1\n`);
    expect(verified.stdout).toContain('Restore it from a backup, or download it again.');
    expect(verified.stdout).toMatch(/\d findings, listed above\.\n$/);
    expect(verified.stdout).not.toContain('as it was stored');
  });

  it('looks at one run only when it is named', async () => {
    const court = await tourCourt();
    await tour(court, data());
    await flipBit(join(data(), 'files', aDownload(data()).file_path));
    await tour(court, data());
    // The second run has replaced the file: only the first record is damaged now.
    const [first] = inLedger(data(), (ledger) =>
      ledger.prepare('SELECT request_offset FROM exchanges WHERE file_path IS NOT NULL ORDER BY id').all(),
    );
    await flipBit(join(data(), 'archive', 'curlew-00000001.warc.gz'), Number(first?.request_offset) + 100);
    expect(await verify('2')).toMatchObject({ code: 0 });
    expect(await verify('1')).toMatchObject({ code: 1 });
    const unknown = await verify('7');
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('run 7');
  });

  it('says how much a sample has looked at, and nothing of the rest', async () => {
    await tour(await tourCourt(), data());
    const sampled = await verify('--sample', '10');
    expect(sampled).toMatchObject({ code: 0 });
    expect(sampled.stdout).toMatch(/, 10 of \d+ pages and downloads, /);
    expect(sampled.stdout).toMatch(/That is \d+\.\d % of the pages and files; of the others nothing is known\.\n$/);
    expect(sampled.stdout).not.toContain('All of it');
    expect((await verify('--sample', '100000')).stdout).toContain('All of it is as it was stored.');
  });

  it('finds no damage beside a run that goes on, nor in what a killed one left', async () => {
    const court = closing(await startCourt({ graphPages: 600 }));
    const life = startCurlew(runArguments(GRAPH, court, data()));
    let hasEnded = false;
    const ended = life.ended.finally(() => (hasEnded = true));
    const seen = new Set<number>();
    // The log is there before the tables are.
    const pages = () => {
      const isMade = inLedger(data(), (ledger) =>
        ledger.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'exchanges'").get(),
      );
      if (isMade === undefined) return 0;
      const [row] = inLedger(data(), (ledger) => ledger.prepare('SELECT count(*) AS n FROM exchanges').all());
      return Number(row?.n);
    };
    await expect.poll(() => stat(join(data(), 'ledger.sqlite-wal')).catch(() => undefined)).toBeDefined();
    while (!hasEnded && seen.size < 5) {
      expect(await findings()).toEqual([]);
      seen.add(pages());
    }
    // Each time there was more.
    expect(seen.size).toBeGreaterThan(1);
    life.kill('SIGKILL');
    await ended;
    expect(await findings()).toEqual([]);
  });

  it('checks a directory of the first edition as it is', async () => {
    execFileSync('tar', ['-xzf', FIRST_EDITION, '-C', scratch()]);
    const before = await content();
    expect(await verify()).toMatchObject({ code: 0, stderr: '' });
    expect(await content()).toEqual(before);
    expect(await verify('5')).toMatchObject({ code: 0, stdout: expect.stringContaining('5 files of mirrors') });
  });
});

describe('what is no file, or may not be read', () => {
  const places: [string, () => string, RegExp][] = [
    ['a segment', () => segmentPath(data(), aPage(data()).segment_id), /^segment_(unreadable|missing) /m],
    ['a download', () => join(data(), 'files', aDownload(data()).file_path), /^file_(unreadable|missing) /m],
  ];
  it.each(
    places.flatMap(([place, pathOf, expected]) =>
      Object.entries(NO_FILES).map(([what, put]) => ({ place, what, put, pathOf, expected })),
    ),
  )('is a finding: $what in the place of $place', async ({ put, pathOf, expected }) => {
    await tour(await tourCourt(), data());
    const path = pathOf();
    putInstead(path, put);
    const verified = await verify();
    expect(verified).toMatchObject({ code: 1, stderr: '' });
    expect(verified.stdout).toMatch(expected);
    expect(verified.stdout).toContain(basename(path));
    expect(await curlew(['health', '--data', data()])).toMatchObject({ code: 1, stderr: '' });
    const made = await curlew(['manifest', '--data', data()]);
    expect(made).toMatchObject({ code: 1, stderr: expect.stringContaining(basename(path)) });
    // Without a ledger too.
    await rm(join(data(), 'ledger.sqlite'));
    expect(await verify()).toMatchObject({ code: 1, stderr: '' });
  });

  it('is not a link to a file that is sound', async () => {
    await tour(await tourCourt(), data());
    const path = segmentPath(data(), 1);
    await rename(path, scratch('elsewhere.warc.gz'));
    await symlink(scratch('elsewhere.warc.gz'), path);
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it('is a finding where a file may not be read, and no repair fetches it', async () => {
    const court = await tourCourt();
    await tour(court, data());
    const [page, file] = [aPage(data()), aDownload(data())];
    const path = join(data(), 'files', file.file_path);
    for (const locked of [path, segmentPath(data(), page.segment_id)]) await chmod(locked, 0);
    const asked = court.log.entries.length;
    const verified = await curlew(['verify', '--repair', '--data', data()], { by: AS_ANYBODY });
    expect(verified.stdout).toContain(`file_unreadable  files/${file.file_path}`);
    expect(verified.stdout).toContain(`member_unreadable  ${page.url}`);
    expect(verified).toMatchObject({ code: 1 });
    expect(court.log.since(asked)).toEqual([]);
    expect(exchanges(data(), 'lost IS NOT NULL')).toEqual([]);
  });

  it.each(Object.entries(NO_FILES).slice(0, 3))('is a finding where it is the ledger: %s', async (_what, put) => {
    await tour(await tourCourt(), data());
    putInstead(join(data(), 'ledger.sqlite'), put);
    const verified = await verify();
    expect(verified).toMatchObject({ code: 1, stderr: '' });
    expect(verified.stdout).toMatch(/^ledger_damaged {2}/);
  });
});

describe('a ledger that cannot be read', () => {
  it.each([
    ['is no database', (file: string) => writeFile(file, 'nothing')],
    ['is empty', (file: string) => writeFile(file, '')],
    ['is gone', (file: string) => rm(file)],
  ])('is told when it %s, and the archive and the files are checked without it', async (_what, damage) => {
    await tour(await tourCourt(), data());
    const [page, file] = [aPage(data()), aDownload(data())];
    await flipPage(data(), page);
    await flipBit(join(data(), 'files', file.file_path));
    await damage(join(data(), 'ledger.sqlite'));
    const { code, stdout, stderr } = await verify();
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^ledger_damaged {2}/);
    expect(stdout).toContain(`bytes_unknown  archive/curlew-00000001.warc.gz at byte ${page.response_offset}\n`);
    expect(stdout).toContain(`file_damaged  files/${file.file_path}\n`);
    expect(stdout).toContain('3 findings');
  });

  it('is told when some of its pages are damaged, and what it refers to is checked', async () => {
    await tour(await tourCourt(), data());
    await flipPage(data(), aPage(data()));
    await changeFile(join(data(), 'ledger.sqlite'), (bytes) => bytes.fill(0, 8 * 4096, 60 * 4096));
    const { code, stdout, stderr } = await verify();
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^ledger_damaged {2}/);
    expect(stdout).toContain('archive/curlew-00000001.warc.gz at byte ');
  });
});

it('a directory in which nothing was ever stored is not said to be sound', async () => {
  const verified = await verify();
  expect(verified).toMatchObject({ code: 2, stdout: '' });
  expect(verified.stderr).toContain('There are no runs in');
});

// G9: what is stored is what was received; damage is found and named, and no later run inherits it.

import { rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
} from '../fixity/tour.ts';
import { curlew, type Ended } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const scratch = scratchDirectory();
const data = () => scratch('data');
const command = (...args: string[]): Promise<Ended> => curlew([...args, '--data', data()]);
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('what was stored before and is damaged', () => {
  it('is not referred to: the page that was fetched again is archived whole', async () => {
    const court = await tourCourt();
    await tour(court, data());
    const page = aPage(data());
    await flipPage(data(), page);
    expect((await command('page', '1', page.url)).code).toBe(1);
    await tour(court, data());
    expect(await command('page', '2', page.url)).toMatchObject({ code: 0 });
    // What repeats it later refers to the sound copy, and so can be read.
    await tour(court, data());
    expect(await command('page', '3', page.url)).toMatchObject({ code: 0 });
    const [, second, third] = exchanges(data(), `url = '${page.url}'`);
    expect([second?.revisit_of, third?.revisit_of]).toEqual([null, second?.id]);
  });

  it('makes older repetitions readable again when the same body comes anew', async () => {
    const court = await tourCourt();
    await tour(court, data());
    await tour(court, data());
    const page = aPage(data());
    await flipPage(data(), page);
    expect((await command('page', '2', page.url)).code).toBe(1);
    await tour(court, data());
    expect(await command('page', '2', page.url)).toMatchObject({ code: 0 });
    expect(await command('page', '3', page.url)).toMatchObject({ code: 0 });
  });

  it('is not referred to when its segment is gone', async () => {
    const court = await tourCourt();
    await tour(court, data());
    const page = aPage(data());
    await rm(segmentPath(data(), page.segment_id));
    await tour(court, data());
    expect(await command('page', '2', page.url)).toMatchObject({ code: 0 });
  });

  it('is replaced by the fresh bytes where it is a download', async () => {
    const court = await tourCourt();
    await tour(court, data());
    const file = aDownload(data());
    const path = join(data(), 'files', file.file_path);
    await flipBit(path);
    await tour(court, data());
    expect(await sha256Of(path)).toBe(hexOf(file.body_sha256));
  });

  it('does not stop a conditional fetch, and is not confirmed by a 304', async () => {
    const court = await tourCourt();
    const page = `${court.url}/case/1`;
    const fetchPage = () => command('fetch', page, '--fresh', '--rate', 'off', '--allow-host', new URL(court.url).host);
    expect(await fetchPage()).toMatchObject({ code: 0 });
    const [row] = exchanges(data(), `url = '${page}'`);
    if (row === undefined) return expect.fail('nothing was archived');
    await flipPage(data(), row);
    expect(await fetchPage()).toMatchObject({ code: 0 });
    expect(await command('page', '2', page)).toMatchObject({ code: 0 });
  });
});

describe('health', () => {
  it('is not ok when a segment is gone, cut off, or a download is gone or cut off', async () => {
    await tour(await tourCourt(), data());
    expect(await command('health')).toMatchObject({ code: 0 });
    const file = aDownload(data());
    const path = join(data(), 'files', file.file_path);
    await truncate(path, file.body_size - 1);
    const cut = await command('health');
    expect(cut).toMatchObject({ code: 1 });
    expect(cut.stdout).toContain(file.file_path);
    await rm(path);
    const lost = await command('health');
    expect(lost).toMatchObject({ code: 1 });
    expect(lost.stdout).toContain(file.url);
    const segment = segmentPath(data(), file.segment_id);
    await truncate(segment, (await stat(segment)).size - 1);
    expect((await command('health')).stdout).toContain('curlew-00000001.warc.gz');
    await rm(segment);
    expect((await command('health')).stdout).toContain('curlew-00000001.warc.gz');
  });

  it('is not ok when the ledger is gone, and makes no new one in its place', async () => {
    await tour(await tourCourt(), data());
    for (const end of ['', '-wal', '-shm']) await rm(join(data(), `ledger.sqlite${end}`), { force: true });
    for (let time = 0; time < 2; time++) {
      const health = await command('health');
      expect(health).toMatchObject({ code: 1 });
      expect(health.stdout).toContain('The ledger is missing');
    }
    expect((await command('verify')).stdout).toContain('The ledger is missing');
  });

  it('is not ok when SQLite says that the ledger is damaged', async () => {
    await tour(await tourCourt(), data());
    damageLedger();
    const health = await command('health');
    expect(health).toMatchObject({ code: 1 });
    expect(health.stdout).toContain('ledger');
    expect(health.stderr).not.toContain('    at ');
  });
});

/** An index that points to rows which are not there: readable, and rejected by `quick_check` and `integrity_check`. */
function damageLedger(): void {
  inLedger(data(), (ledger) => {
    ledger.enableDefensive?.(false);
    ledger.exec(
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'url TEXT NOT NULL', 'url INTEGER NOT NULL') WHERE name = 'exchanges'; PRAGMA writable_schema = OFF",
    );
  });
}

describe('a replay with --diff', () => {
  it.each([
    ['gone', (path: string) => rm(path)],
    ['flipped', (path: string) => flipBit(path)],
  ])('does not say that the records are the same when a download is %s', async (_what, damage) => {
    await tour(await tourCourt(), data());
    await damage(join(data(), 'files', aDownload(data()).file_path));
    const replayed = await command('replay', '1', '--diff');
    expect(replayed).toMatchObject({ code: 1 });
    expect(replayed.stdout).not.toContain('The same records');
  });

  it('does not say that the records are the same when a page without records cannot be read', async () => {
    await tour(await tourCourt(), data());
    const [search] = exchanges(data(), "url LIKE '%/search'");
    if (search === undefined) return expect.fail('There is no such page.');
    await flipPage(data(), search);
    const replayed = await command('replay', '1', '--diff');
    expect(replayed).toMatchObject({ code: 1 });
    expect(replayed.stdout).not.toContain('The same records');
  });
});

describe('an export as WARC', () => {
  it('does not copy a damaged page with exit code 0', async () => {
    await tour(await tourCourt(), data());
    const page = aPage(data());
    await flipPage(data(), page);
    const exported = await command('export', '1', '--format', 'warc', '-o', scratch('run.warc.gz'));
    expect(exported).toMatchObject({ code: 1 });
    expect(exported.stderr).toContain(page.url);
    // Whoever reads it finds no damage in it.
    await urisIn('run.warc.gz');
  });

  it('names damaged records, writes the sound ones, and exits 1', async () => {
    const court = await tourCourt();
    await tour(court, data());
    expect(await command('export', '1', '--format', 'warc', '-o', scratch('whole.warc.gz'))).toMatchObject({ code: 0 });
    const page = aPage(data());
    const file = aDownload(data());
    await flipPage(data(), page);
    await flipBit(join(data(), 'files', file.file_path));
    const exported = await command('export', '1', '--format', 'warc', '-o', scratch('run.warc.gz'));
    expect(exported).toMatchObject({ code: 1 });
    expect(exported.stderr).toContain(page.url);
    expect(exported.stderr).toContain(file.url);
    expect(exported.stderr).not.toContain('    at ');
    const [whole, rest] = await Promise.all([urisIn('whole.warc.gz'), urisIn('run.warc.gz')]);
    const left = exchanges(data(), `file_path = '${file.file_path}'`).map(({ url }) => url);
    expect([...whole].filter((uri) => !rest.has(uri)).sort()).toEqual([...new Set([page.url, ...left])].sort());
  });
});

async function urisIn(name: string): Promise<Set<string>> {
  const { gunzipSync } = await import('node:zlib');
  let text = '';
  await changeFile(scratch(name), (bytes) => {
    text = gunzipSync(bytes).toString('latin1');
    return bytes;
  });
  return new Set([...text.matchAll(/^WARC-Target-URI: (.*)\r$/gm)].map(([, uri = '']) => uri));
}

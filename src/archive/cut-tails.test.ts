import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultyFiles } from '../platform/faulty-files.ts';
import { systemFiles } from '../platform/files.ts';
import { cutTails } from './cut-tails.ts';
import { segmentName } from './segment-name.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-tails-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const path = (segment: number) => join(directory, segmentName(segment));

describe('cutting tails', () => {
  it('cuts what is behind each committed end and nothing else', async () => {
    for (const segment of [1, 2, 3]) await writeFile(path(segment), 'committed and torn');
    await cutTails(directory, [
      { segment: 1, end: 9 },
      { segment: 2, end: 18 },
    ]);
    expect(await readFile(path(1), 'utf8')).toBe('committed');
    expect(await readFile(path(2), 'utf8')).toBe('committed and torn');
    expect(await readFile(path(3), 'utf8')).toBe('committed and torn');
  });

  it('removes a segment that holds nothing committed, if it was begun at all', async () => {
    await writeFile(path(1), 'torn');
    await cutTails(directory, [
      { segment: 1, end: 0 },
      { segment: 2, end: 0 },
    ]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('reports a segment that is too short, with what is missing', async () => {
    await writeFile(path(1), 'short');
    await expect(cutTails(directory, [{ segment: 1, end: 9 }])).rejects.toMatchObject({
      code: 'archive_damaged',
      message: `${path(1)} has 5 bytes, but the ledger refers to 9: 4 bytes are missing`,
    });
    expect(await readFile(path(1), 'utf8')).toBe('short');
  });

  it('reports a segment that is missing altogether', async () => {
    await expect(cutTails(directory, [{ segment: 7, end: 100 }])).rejects.toMatchObject({
      code: 'archive_damaged',
      message: expect.stringContaining('100 bytes are missing'),
    });
  });

  it('reports a file that cannot be cut', async () => {
    const files = new FaultyFiles(systemFiles);
    files.broken.add('truncate');
    await writeFile(path(1), 'committed and torn');
    await expect(cutTails(directory, [{ segment: 1, end: 9 }], files)).rejects.toMatchObject({
      code: 'data_directory',
    });
  });
});

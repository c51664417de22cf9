import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultyFiles } from './faulty-files.ts';
import { NOT_A_FILE, systemFiles, writeAll } from './files.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-files-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('the system’s files', () => {
  it('write by position, keep what was there, and cut', async () => {
    const path = join(directory, 'a');
    await writeFile(path, 'abcdef');
    const file = await systemFiles.open(path, 'write');
    await writeAll(file, Buffer.from('XY'), 2);
    await file.truncate(5);
    await file.sync();
    await file.close();
    expect(await readFile(path, 'utf8')).toBe('abXYe');
  });

  it('read fewer bytes only at the end of the file', async () => {
    const path = join(directory, 'a');
    await writeFile(path, 'abcdef');
    const file = await systemFiles.open(path, 'read');
    const target = Buffer.alloc(4);
    expect(await file.read(target, 1)).toBe(4);
    expect(target.toString()).toBe('bcde');
    expect(await file.read(target, 4)).toBe(2);
    await file.close();
  });

  it('know the size of a file, and that there is none', async () => {
    await writeFile(join(directory, 'a'), 'abc');
    expect(await systemFiles.sizeOf(join(directory, 'a'))).toBe(3);
    expect(await systemFiles.sizeOf(join(directory, 'b'))).toBeUndefined();
  });

  it.each([
    ['a directory', (path: string) => mkdir(path)],
    ['a pipe', async (path: string) => void execFileSync('mkfifo', [path])],
  ])('refuse %s where a file should be, and do not wait for it', async (_what, put) => {
    const path = join(directory, 'a');
    await put(path);
    await expect(systemFiles.sizeOf(path)).rejects.toMatchObject({ code: NOT_A_FILE });
    await expect(systemFiles.open(path, 'read')).rejects.toMatchObject({ code: NOT_A_FILE });
  });

  it('remove what is missing without complaint, and sync a directory', async () => {
    await systemFiles.remove(join(directory, 'nothing'));
    await systemFiles.syncDirectory(directory);
    expect(await systemFiles.freeBytes(directory)).toBeGreaterThan(0);
  });
});

describe('writing all', () => {
  it('goes on after short writes', async () => {
    const files = new FaultyFiles(systemFiles);
    files.longestWrite = 2;
    const file = await files.open(join(directory, 'a'), 'write');
    await writeAll(file, Buffer.from('abcdefg'), 0);
    await file.close();
    expect(files.writes).toBe(4);
    expect(await readFile(join(directory, 'a'), 'utf8')).toBe('abcdefg');
  });

  it('fails with ENOSPC once the disk is full', async () => {
    const files = new FaultyFiles(systemFiles);
    files.room = 3;
    const file = await files.open(join(directory, 'a'), 'write');
    await expect(writeAll(file, Buffer.from('abcdefg'), 0)).rejects.toMatchObject({ code: 'ENOSPC' });
    await file.close();
    expect(await readFile(join(directory, 'a'), 'utf8')).toBe('abc');
  });
});

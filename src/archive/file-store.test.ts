import { spawn } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultyFiles } from '../platform/faulty-files.ts';
import { systemFiles } from '../platform/files.ts';
import { FileStore } from './file-store.ts';

let directory: string;
let files: FaultyFiles;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-store-'));
  files = new FaultyFiles(systemFiles);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function save(store: FileStore, content: Uint8Array, name: string) {
  const pending = await store.begin();
  for (let at = 0; at < content.length; at += 1000) await pending.write(content.subarray(at, at + 1000));
  return pending.commit(name);
}

async function read(store: FileStore, path: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of store.read(path)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** All files of the store, relative to it. */
async function listing(): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
}

describe('the file store', () => {
  it('keeps a file under the hash of its content and a safe name', async () => {
    const store = await FileStore.open(directory, files);
    const content = randomBytes(200_001);
    const sha256 = hash('sha256', content);
    const saved = await save(store, content, '../../judgment.pdf');
    expect(saved).toEqual({ path: `${sha256.slice(0, 2)}/${sha256}/judgment.pdf`, sha256, size: 200_001 });
    expect((await readFile(store.resolve(saved.path))).equals(content)).toBe(true);
    expect((await read(store, saved.path)).equals(content)).toBe(true);
    expect(await listing()).toEqual([saved.path]);
  });

  it('shows nothing under a name before the file is whole', async () => {
    const store = await FileStore.open(directory, files);
    const pending = await store.begin();
    await pending.write(Buffer.from('half'));
    expect(pending.size).toBe(4);
    expect(await listing()).toEqual([expect.stringMatching(/^\.partial\//)]);
    await pending.discard();
    await pending.discard();
    expect(await listing()).toEqual([]);
  });

  it('stores the same content once under one name, and once under two', async () => {
    const store = await FileStore.open(directory, files);
    const content = Buffer.from('the same judgment');
    const first = await save(store, content, 'a.pdf');
    expect(await save(store, content, 'a.pdf')).toEqual(first);
    expect(await listing()).toEqual([first.path]);

    const second = await save(store, content, 'b.pdf');
    expect((await listing()).sort()).toEqual([first.path, second.path]);
    await save(store, content, 'a.pdf');
    expect((await stat(store.resolve(second.path))).ino).toBe((await stat(store.resolve(first.path))).ino);
  });

  it('gives each name its file also where links are not possible', async () => {
    files.broken.add('link');
    const store = await FileStore.open(directory, files);
    const first = await save(store, Buffer.from('x'), 'a.pdf');
    const second = await save(store, Buffer.from('x'), 'b.pdf');
    expect((await listing()).sort()).toEqual([first.path, second.path]);
    expect((await read(store, second.path)).toString()).toBe('x');
  });

  it('replaces a file that somebody has shortened', async () => {
    const store = await FileStore.open(directory, files);
    const saved = await save(store, Buffer.from('whole'), 'a.pdf');
    await writeFile(store.resolve(saved.path), 'who');
    expect(await save(store, Buffer.from('whole'), 'a.pdf')).toEqual(saved);
    expect((await read(store, saved.path)).toString()).toBe('whole');
  });

  it.each(['with', 'without'])('replaces a file that is damaged, under all of its names, %s links', async (links) => {
    const store = await FileStore.open(directory, files);
    const content = randomBytes(300_000);
    const names = ['a.pdf', 'b.pdf', 'c.pdf'];
    if (links === 'without') files.broken.add('link');
    const saved = [];
    for (const name of names) saved.push(await save(store, content, name));
    const flipped = Buffer.from(content);
    flipped[150_000] = (flipped[150_000] ?? 0) ^ 1;
    for (const { path } of saved) await writeFile(store.resolve(path), flipped);
    await save(store, content, 'b.pdf');
    for (const { path } of saved) expect((await read(store, path)).equals(content), path).toBe(true);
    expect((await listing()).sort()).toEqual(saved.map(({ path }) => path));
  });

  it('does not give a new name to a damaged file', async () => {
    const store = await FileStore.open(directory, files);
    const first = await save(store, Buffer.from('whole'), 'a.pdf');
    await writeFile(store.resolve(first.path), 'wh0le');
    const second = await save(store, Buffer.from('whole'), 'b.pdf');
    for (const { path } of [first, second]) expect((await read(store, path)).toString()).toBe('whole');
  });

  it('keeps an empty file', async () => {
    const store = await FileStore.open(directory, files);
    const saved = await (await store.begin()).commit('');
    expect(saved).toMatchObject({ size: 0, path: expect.stringMatching(/\/file$/) });
    expect(await read(store, saved.path)).toHaveLength(0);
  });

  it('cannot be written to after its end', async () => {
    const store = await FileStore.open(directory, files);
    const pending = await store.begin();
    await pending.commit('a');
    await pending.discard();
    await expect(pending.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'internal' });
    await expect(pending.commit('b')).rejects.toMatchObject({ code: 'internal' });
    expect(await listing()).toHaveLength(1);
  });

  it('refuses paths that lead out of it, and reports files that are gone', async () => {
    const store = await FileStore.open(directory, files);
    expect(() => store.resolve('../../etc/passwd')).toThrow('leads out');
    expect(() => store.resolve('/etc/passwd')).toThrow('leads out');
    await expect(read(store, 'ab/cd/e')).rejects.toMatchObject({ code: 'archive_damaged' });
  });
});

describe('a full disk', () => {
  it('is reported as disk_full, leaves nothing, and the store can be used again', async () => {
    const store = await FileStore.open(directory, files);
    files.room = 1500;
    await expect(save(store, randomBytes(5000), 'a.pdf')).rejects.toMatchObject({ code: 'disk_full' });
    expect(await listing()).toEqual([]);
    files.room = Number.POSITIVE_INFINITY;
    expect((await save(store, Buffer.from('x'), 'a.pdf')).size).toBe(1);
  });

  it.each(['sync', 'rename'] as const)('or a failing %s leaves no file under the name', async (operation) => {
    const store = await FileStore.open(directory, files);
    files.broken.add(operation);
    await expect(save(store, Buffer.from('x'), 'a.pdf')).rejects.toMatchObject({ code: 'data_directory' });
    expect(await listing()).toEqual([]);
  });
});

describe('opening the store', () => {
  it('removes the partial files of dead processes and keeps those of living ones', async () => {
    const store = await FileStore.open(directory, files);
    const mine = await store.begin();
    await mine.write(Buffer.from('mine'));
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    await writeFile(join(directory, '.partial', `${child.pid}-123456-1`), 'left behind');
    // The same process id as ours, but of a process that began at another time: a restarted container.
    await writeFile(join(directory, '.partial', `${process.pid}-1-1`), 'left behind');

    await FileStore.open(directory, files);
    expect(await listing()).toHaveLength(1);
    await mine.commit('a.txt');
    expect(await listing()).toEqual([expect.stringMatching(/\/a\.txt$/)]);
  });

  it('reports a directory that cannot be made', async () => {
    await writeFile(join(directory, 'file'), '');
    await expect(FileStore.open(join(directory, 'file', 'store'))).rejects.toMatchObject({ code: 'data_directory' });
  });
});

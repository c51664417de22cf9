import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileStore } from '../archive/file-store.ts';
import { FaultyFiles } from '../platform/faulty-files.ts';
import { systemFiles } from '../platform/files.ts';
import { Download } from './download.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-download-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const partial = () => readdir(join(directory, '.partial'));
const url = new URL('https://court.example/files/17.pdf');

describe('Download', () => {
  it('is named after the answer, else after the URL', async () => {
    const store = await FileStore.open(directory);
    const told = new Download(store, url);
    await told.write(Buffer.from('one'));
    expect(await told.commit(200, [['Content-Disposition', 'attachment; filename="told.pdf"']])).toMatchObject({
      path: expect.stringMatching(/\/told\.pdf$/),
      size: 3,
    });
    expect(await new Download(store, url).commit(200, [])).toMatchObject({
      path: expect.stringMatching(/\/17\.pdf$/),
      size: 0,
    });
  });

  it('can be thrown away while its file is being opened, written, or was never begun', async () => {
    const store = await FileStore.open(directory);
    const early = new Download(store, url);
    const write = early.write(Buffer.from('one'));
    await early.discard();
    await write.catch(() => {});
    await new Download(store, url).discard();
    expect(await partial()).toEqual([]);
  });

  it('says that the disk is full, and leaves nothing', async () => {
    const files = new FaultyFiles(systemFiles);
    const download = new Download(await FileStore.open(directory, files), url);
    await download.write(Buffer.from('one'));
    files.room = 0;
    await expect(download.write(Buffer.from('two'))).rejects.toMatchObject({ code: 'disk_full' });
    await download.discard();
    expect(await partial()).toEqual([]);
  });
});

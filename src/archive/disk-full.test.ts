// A disk that is really full: a tmpfs of 256 KiB. Needs the right to mount, and is skipped without it.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemRandom } from '../platform/random.ts';
import { ArchiveReader } from './archive-reader.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { encodeExchange } from './encode-exchange.ts';
import { FileStore } from './file-store.ts';
import { sampleExchange } from './sample-exchange.ts';

const SIZE = 256 * 1024;
const mountPoint = mkdtempSync(join(tmpdir(), 'curlew-full-'));

function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', mountPoint], { stdio: 'ignore' });
    return true;
  } catch {
    rmSync(mountPoint, { recursive: true });
    console.warn('Skipped: the tests of a really full disk need the right to mount a tmpfs.');
    return false;
  }
}
const mounted = mount();

afterAll(() => {
  if (!mounted) return;
  execFileSync('umount', [mountPoint]);
  rmSync(mountPoint, { recursive: true });
});

/** As many bytes as asked for, already coded, so that they are stored as they are. */
async function page(bytes: number) {
  const body = Buffer.alloc(bytes, 'x');
  return encodeExchange(sampleExchange({ body, responseHeaders: [['Content-Encoding', 'br']] }), systemRandom);
}

describe.skipIf(!mounted)('a disk without room', () => {
  it('stops the archive with disk_full, keeps what was flushed, and lets it go on when there is room', async () => {
    const directory = join(mountPoint, 'archive');
    const writer = await ArchiveWriter.open(directory, { allocateSegment: async () => 1 });
    const kept = writer.append(await page(100_000));
    await writer.flush();
    writer.append(await page(200_000));
    await expect(writer.flush({ sync: true })).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringContaining('curlew-00000001.warc.gz'),
      remedy: expect.stringContaining('room'),
    });
    const next = writer.append(await page(100_000));
    await writer.flush({ sync: true });
    await writer.close();

    const reader = new ArchiveReader(directory);
    for (const { response } of [kept, next]) {
      expect(await reader.readResponse(response)).toMatchObject({ kind: 'whole', body: Buffer.alloc(100_000, 'x') });
    }
    await reader.close();
    rmSync(directory, { recursive: true });
  });

  it('stops a download with disk_full and gives the room back', async () => {
    const store = await FileStore.open(join(mountPoint, 'files'));
    const pending = await store.begin();
    const fill = async () => {
      for (let written = 0; written < 2 * SIZE; written += 10_000) await pending.write(Buffer.alloc(10_000, 'y'));
    };
    await expect(fill()).rejects.toMatchObject({ code: 'disk_full' });
    const small = await store.begin();
    await small.write(Buffer.alloc(100_000, 'z'));
    expect(await small.commit('a.pdf')).toMatchObject({ size: 100_000 });
  });
});

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { FakeClock } from '../platform/fake-clock.ts';
import { FaultyFiles } from '../platform/faulty-files.ts';
import { systemFiles } from '../platform/files.ts';
import { seededRandom } from '../platform/random.ts';
import { ArchiveReader } from './archive-reader.ts';
import { ArchiveWriter, type ArchiveWriterOptions } from './archive-writer.ts';
import { cutTails } from './cut-tails.ts';
import { encodeExchange } from './encode-exchange.ts';
import type { Location, SegmentEnd } from './exchange.ts';
import { sampleExchange } from './sample-exchange.ts';

let directory: string;
let files: FaultyFiles;
let segments = 0;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-archive-'));
  files = new FaultyFiles(systemFiles);
  segments = 0;
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const random = seededRandom(1);

function openWriter(options: Partial<ArchiveWriterOptions> = {}): Promise<ArchiveWriter> {
  const allocateSegment = async () => ++segments;
  return ArchiveWriter.open(directory, { allocateSegment, files, clock: new FakeClock(), random, ...options });
}

async function page(body: string) {
  return encodeExchange(sampleExchange({ body }), random);
}

async function bodyAt(location: Location): Promise<string> {
  const reader = new ArchiveReader(directory);
  try {
    const response = await reader.readResponse(location);
    return response.kind === 'whole' ? response.body.toString() : response.kind;
  } finally {
    await reader.close();
  }
}

function endOf(location: Location): SegmentEnd {
  return { segment: location.segment, end: location.offset + location.length };
}

const segmentPath = (segment: number) => join(directory, `curlew-0000000${segment}.warc.gz`);

describe('the archive writer', () => {
  it('says at once where a record will lie, and has it there after the flush', async () => {
    const writer = await openWriter();
    const first = writer.append(await page('one'));
    const second = writer.append(await page('two'));
    expect(second.request.offset).toBe(first.response.offset + first.response.length);
    expect(await readdir(directory)).toEqual([]);
    await writer.flush();
    expect(await bodyAt(first.response)).toBe('one');
    expect(await bodyAt(second.response)).toBe('two');
    await writer.close();
  });

  it('begins each segment with a warcinfo record that names the file and the program', async () => {
    const writer = await openWriter({ segmentBytes: 1, software: 'curlew/9.9' });
    for (const body of ['one', 'two']) {
      writer.append(await page(body));
      await writer.flush();
    }
    await writer.close();
    for (const segment of [1, 2]) {
      const text = gunzipSync(await readFile(segmentPath(segment))).toString();
      expect(text).toMatch(/^WARC\/1\.1\r\nWARC-Type: warcinfo\r\n/);
      expect(text).toContain(`WARC-Filename: curlew-0000000${segment}.warc.gz\r\n`);
      expect(text).toContain('software: curlew/9.9\r\n');
    }
  });

  it('begins a new segment after the flush that filled one, and keeps a flush together', async () => {
    const writer = await openWriter({ segmentBytes: 3000 });
    const placed = [];
    for (let n = 0; n < 12; n++) {
      placed.push(writer.append(await page(`page ${n}`)));
      if (n % 2 === 1) await writer.flush();
    }
    await writer.close();
    expect(placed.map(({ response }) => response.segment)).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
    for (const [n, { response }] of placed.entries()) expect(await bodyAt(response)).toBe(`page ${n}`);
  });

  it('needs one write for a flush', async () => {
    const writer = await openWriter();
    for (let n = 0; n < 50; n++) writer.append(await page(`page ${n}`));
    await writer.flush();
    expect(files.writes).toBe(1);
    await writer.flush({ sync: true });
    expect(files.writes).toBe(1);
    await writer.close();
  });

  it('goes on in a full segment with what was appended before a new one could be had', async () => {
    const writer = await openWriter({ segmentBytes: 1 });
    const placed = [writer.append(await page('one'))];
    const flushing = writer.flush();
    placed.push(writer.append(await page('two')));
    await flushing;
    placed.push(writer.append(await page('three')));
    await writer.flush();
    placed.push(writer.append(await page('four')));
    await writer.flush();
    await writer.close();
    expect(placed.map(({ response }) => response.segment)).toEqual([1, 1, 1, 2]);
    expect(await Promise.all(placed.map(({ response }) => bodyAt(response)))).toEqual(['one', 'two', 'three', 'four']);
  });

  it('asks for no further segment while a new one has room', async () => {
    const writer = await openWriter({ segmentBytes: 2000 });
    const placed = [writer.append(await page('a'.repeat(9))), writer.append(await page('b'.repeat(9)))];
    const filling = writer.flush();
    placed.push(writer.append(await page('still in the full one')));
    await filling;
    const behind = writer.flush();
    placed.push(writer.append(await page('in the new one')));
    await behind;
    await writer.flush();
    placed.push(writer.append(await page('also in the new one')));
    await writer.close();
    expect(placed.map(({ response }) => response.segment)).toEqual([1, 1, 1, 2, 2]);
    expect(segments).toBe(2);
  });

  it('takes new records while a flush is running', async () => {
    const writer = await openWriter();
    const first = writer.append(await page('one'));
    const flushing = writer.flush();
    const second = writer.append(await page('two'));
    await Promise.all([flushing, writer.flush()]);
    expect(await bodyAt(first.response)).toBe('one');
    expect(await bodyAt(second.response)).toBe('two');
    await writer.close();
  });

  it('finishes short writes', async () => {
    files.longestWrite = 7;
    const writer = await openWriter();
    const { response } = writer.append(await page('one'));
    await writer.flush({ sync: true });
    await writer.close();
    expect(await bodyAt(response)).toBe('one');
  });

  it('reports a directory that cannot be made', async () => {
    await writeFile(join(directory, 'file'), '');
    await expect(
      ArchiveWriter.open(join(directory, 'file', 'archive'), { allocateSegment: async () => 1 }),
    ).rejects.toMatchObject({ code: 'data_directory' });
  });

  it('takes nothing after close, and closes twice', async () => {
    const writer = await openWriter();
    const encoded = await page('one');
    await writer.close();
    await writer.close();
    expect(() => writer.append(encoded)).toThrow('closed');
  });
});

describe('a file in the place of a new segment', () => {
  it('is set aside and not written over, each time under a new name', async () => {
    for (const content of ['of a lost ledger', 'of another one']) {
      await writeFile(segmentPath(1), content);
      segments = 0;
      const writer = await openWriter();
      writer.append(await page('one'));
      await writer.flush();
      await writer.close();
    }
    expect((await readdir(directory)).sort()).toEqual([
      'curlew-00000001.warc.gz',
      'curlew-00000001.warc.gz.orphaned',
      'curlew-00000001.warc.gz.orphaned-2',
    ]);
    expect(await readFile(`${segmentPath(1)}.orphaned`, 'utf8')).toBe('of a lost ledger');
  });
});

describe('a flush that fails', () => {
  it('is reported as disk_full, leaves the disk as before, and the writer can go on', async () => {
    const writer = await openWriter();
    const kept = writer.append(await page('kept'));
    await writer.flush();

    files.room = 100;
    writer.append(await page('too much'));
    await expect(writer.flush()).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(/disk is full.*curlew-00000001\.warc\.gz/),
    });
    expect((await readFile(segmentPath(1))).length).toBe(endOf(kept.response).end);

    files.room = Number.POSITIVE_INFINITY;
    const next = writer.append(await page('next'));
    await writer.flush();
    await writer.close();
    expect(next.request.offset).toBe(endOf(kept.response).end);
    expect(await bodyAt(kept.response)).toBe('kept');
    expect(await bodyAt(next.response)).toBe('next');
  });

  it('in the first segment leaves no file behind', async () => {
    files.room = 10;
    const writer = await openWriter();
    writer.append(await page('one'));
    await expect(writer.flush()).rejects.toMatchObject({ code: 'disk_full' });
    expect(await readdir(directory)).toEqual([]);

    files.room = Number.POSITIVE_INFINITY;
    const next = writer.append(await page('next'));
    await writer.flush();
    await writer.close();
    expect(next.request.segment).toBe(1);
    expect(gunzipSync(await readFile(segmentPath(1))).toString()).toMatch(/^WARC\/1\.1\r\nWARC-Type: warcinfo/);
  });

  it('in a new segment removes it and goes on in the old one', async () => {
    const writer = await openWriter({ segmentBytes: 1 });
    const kept = writer.append(await page('kept'));
    await writer.flush();

    files.room = 100;
    expect(writer.append(await page('too much')).response.segment).toBe(2);
    await expect(writer.flush()).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringContaining('00000002'),
    });
    expect(await readdir(directory)).toEqual(['curlew-00000001.warc.gz']);

    files.room = Number.POSITIVE_INFINITY;
    const placed = [];
    for (const body of ['next', 'last']) {
      placed.push(writer.append(await page(body)));
      await writer.flush();
    }
    await writer.close();
    expect(placed.map(({ response }) => response.segment)).toEqual([1, 3]);
    expect(placed[0]?.request.offset).toBe(endOf(kept.response).end);
    expect(await Promise.all(placed.map(({ response }) => bodyAt(response)))).toEqual(['next', 'last']);
  });

  it('because no new segment can be had passes the reason on', async () => {
    let lost = false;
    const allocateSegment = async () => {
      if (lost) throw new CurlewError(ErrorCode.ownershipLost, 'somebody else has the run');
      return 1;
    };
    const writer = await openWriter({ allocateSegment, segmentBytes: 1 });
    lost = true;
    writer.append(await page('one'));
    await expect(writer.flush()).rejects.toMatchObject({ code: 'ownership_lost' });
    await writer.close();
    expect(await readdir(directory)).toEqual([]);
  });

  it('voids what was appended while it ran, so that those are not taken for written', async () => {
    const writer = await openWriter();
    files.room = 10;
    writer.append(await page('one'));
    const failing = writer.flush();
    writer.append(await page('two'));
    const queued = writer.flush();
    writer.append(await page('three'));
    await expect(failing).rejects.toMatchObject({ code: 'disk_full' });
    await expect(queued).rejects.toMatchObject({ code: 'disk_full' });

    files.room = Number.POSITIVE_INFINITY;
    await expect(writer.flush()).rejects.toMatchObject({ code: 'disk_full' });
    await writer.flush();
    const next = writer.append(await page('four'));
    await writer.flush();
    await writer.close();
    expect(await bodyAt(next.response)).toBe('four');
    expect(gunzipSync(await readFile(segmentPath(1))).toString()).not.toMatch(/one|two|three/);
  });

  it('when the device does not confirm is data_directory, and what cannot be cut is written over', async () => {
    const writer = await openWriter();
    const kept = writer.append(await page('kept'));
    await writer.flush();

    files.broken.add('sync').add('truncate');
    writer.append(await page('a long page that reaches further than the next one'.repeat(50)));
    await expect(writer.flush({ sync: true })).rejects.toMatchObject({ code: 'data_directory' });
    files.broken.clear();

    const next = writer.append(await page('next'));
    await writer.flush();
    await writer.close();
    expect(next.request.offset).toBe(endOf(kept.response).end);
    expect(await bodyAt(next.response)).toBe('next');
    await cutTails(directory, [endOf(next.response)]);
    expect((await readFile(segmentPath(1))).length).toBe(endOf(next.response).end);
  });
});

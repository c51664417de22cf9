import { hash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WARCParser } from 'warcio';
import { FaultyFiles } from '../platform/faulty-files.ts';
import { systemFiles } from '../platform/files.ts';
import { systemRandom } from '../platform/random.ts';
import { ArchiveReader } from './archive-reader.ts';
import { ArchiveWriter } from './archive-writer.ts';
import type { ArchivedHead } from './archived-message.ts';
import { encodeExchange, encodeHeadersOnly } from './encode-exchange.ts';
import { sampleExchange } from './sample-exchange.ts';
import { type WarcEntry, writeWarc } from './write-warc.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-export-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const head: ArchivedHead = {
  recordId: '<urn:uuid:11111111-1111-4111-8111-111111111111>',
  concurrentTo: '<urn:uuid:22222222-2222-4222-8222-222222222222>',
  targetUri: 'https://court.example/big.pdf',
  at: Date.UTC(2026, 0, 1),
  status: 200,
  statusText: 'OK',
  headers: [['Content-Type', 'application/pdf']],
  remoteAddress: undefined,
};

function wholeEntry(content: Uint8Array, changes: Partial<{ sha256: string; size: number }> = {}) {
  const payload = {
    sha256: hash('sha256', content),
    size: content.length,
    decoded: false,
    chunks: [content],
    ...changes,
  };
  return { kind: 'whole', head, payload } as const;
}

async function readAll(path: string) {
  const seen = [];
  for await (const record of new WARCParser(createReadStream(path))) {
    seen.push({ record, payload: Buffer.from(await record.readFully(false)) });
  }
  return seen;
}

describe('writing a WARC file', () => {
  it('copies records as they are and puts a download back into its response', async () => {
    const archive = join(directory, 'archive');
    const content = randomBytes(100_000);
    const file = { sha256: hash('sha256', content), size: content.length };
    const writer = await ArchiveWriter.open(archive, { allocateSegment: async () => 1 });
    const page = writer.append(await encodeExchange(sampleExchange(), systemRandom));
    const download = writer.append(
      encodeHeadersOnly(sampleExchange({ targetUri: head.targetUri }), file, systemRandom),
    );
    await writer.flush();
    await writer.close();

    const reader = new ArchiveReader(archive);
    const target = join(directory, 'run.warc.gz');
    async function* entries(): AsyncGenerator<WarcEntry> {
      for (const location of [page.request, page.response, download.request]) {
        yield { kind: 'copy', member: await reader.readMember(location) };
      }
      const payload = { ...file, decoded: false, chunks: [content.subarray(0, 70_000), content.subarray(70_000)] };
      yield { kind: 'whole', head: await reader.readResponse(download.response), payload };
    }
    await writeWarc(target, entries());
    await reader.close();

    const seen = await readAll(target);
    expect(seen.map(({ record }) => record.warcType)).toEqual([
      'warcinfo',
      'request',
      'response',
      'request',
      'response',
    ]);
    const [, , , request, response] = seen;
    expect(response?.payload.equals(content)).toBe(true);
    expect(response?.record.warcPayloadDigest).toBe(`sha256:${file.sha256}`);
    expect(response?.record.warcHeader('WARC-Truncated')).toBeNull();
    expect(request?.record.warcHeader('WARC-Concurrent-To')).toBe(response?.record.warcHeader('WARC-Record-ID'));
    expect(await readdir(directory)).toEqual(['archive', 'run.warc.gz']);
  });

  it('keeps the content coding of a decoded file out of the way', async () => {
    const path = join(directory, 'run.warc.gz');
    const content = Buffer.from('plain text');
    const coded = { ...head, headers: [['Content-Encoding', 'gzip'] as const] };
    const payload = { sha256: hash('sha256', content), size: content.length, decoded: true, chunks: [content] };
    await writeWarc(path, [{ kind: 'whole', head: coded, payload }]);
    const [, response] = await readAll(path);
    expect(response?.record.httpHeaders?.headers.get('x-archive-orig-Content-Encoding')).toBe('gzip');
    expect(response?.record.httpHeaders?.headers.get('Content-Encoding')).toBeNull();
  });

  it('compresses text and stores what is compressed already', async () => {
    const content = Buffer.alloc(50_000, 'the court finds ');
    const sizes = [];
    for (const type of ['text/csv; charset=utf-8', 'application/ld+json', 'application/pdf']) {
      const path = join(directory, 'run.warc.gz');
      const { payload } = wholeEntry(content);
      await writeWarc(path, [{ kind: 'whole', head: { ...head, headers: [['content-type', type]] }, payload }]);
      expect((await readAll(path))[1]?.payload.equals(content)).toBe(true);
      sizes.push((await stat(path)).size < content.length);
    }
    expect(sizes).toEqual([true, true, false]);
  });

  it('holds only a small part of a large payload at a time', async () => {
    const chunk = randomBytes(64 * 1024);
    const chunks = 500;
    const size = chunks * chunk.length;
    const expected = hash('sha256', Buffer.concat(Array(chunks).fill(chunk)));
    let produced = 0;
    let consumed = 0;
    let most = 0;
    function* source() {
      for (let n = 0; n < chunks; n++) {
        produced += chunk.length;
        most = Math.max(most, produced - consumed);
        yield chunk;
      }
    }
    const slow = new Writable({
      write(bytes: Buffer, _encoding, done) {
        consumed += bytes.length;
        nextTurn().then(() => done(), done);
      },
    });
    const payload = { sha256: expected, size, decoded: false, chunks: source() };
    await writeWarc(slow, [{ kind: 'whole', head, payload }]);
    expect(consumed).toBeGreaterThan(size);
    expect(most).toBeLessThan(4 * 1024 * 1024);
  });

  it('streams the same bytes to a stream', async () => {
    const parts: Buffer[] = [];
    const sink = new Writable({
      write(bytes: Buffer, _encoding, done) {
        parts.push(bytes);
        done();
      },
    });
    await writeWarc(sink, [wholeEntry(Buffer.from('%PDF-1.7'))]);
    expect(sink.writableFinished).toBe(true);
    expect(gunzipSync(Buffer.concat(parts)).toString()).toContain('\r\n\r\n%PDF-1.7\r\n\r\n');
  });

  it.each([
    ['too short', { size: 9 }],
    ['changed', { sha256: '00'.repeat(32) }],
  ])('refuses a payload that is %s, and leaves no file', async (_what, changes) => {
    const entry = wholeEntry(Buffer.from('%PDF-1.7'), changes);
    await expect(writeWarc(join(directory, 'run.warc.gz'), [entry])).rejects.toMatchObject({
      code: 'archive_damaged',
      message: expect.stringContaining(head.targetUri),
    });
    expect(await readdir(directory)).toEqual([]);
  });

  it('reports a full disk, and leaves no file', async () => {
    const files = new FaultyFiles(systemFiles);
    files.room = 50_000;
    const entry = wholeEntry(randomBytes(100_000));
    await expect(writeWarc(join(directory, 'run.warc.gz'), [entry], { files })).rejects.toMatchObject({
      code: 'disk_full',
    });
    expect(await readdir(directory)).toEqual([]);
  });

  it('passes on the error of whoever supplies the entries', async () => {
    // biome-ignore lint/correctness/useYield: it fails before the first entry
    async function* failing(): AsyncGenerator<WarcEntry> {
      throw new TypeError('no such run');
    }
    await expect(writeWarc(join(directory, 'run.warc.gz'), failing())).rejects.toThrow(TypeError);
    expect(await readdir(directory)).toEqual([]);
  });
});

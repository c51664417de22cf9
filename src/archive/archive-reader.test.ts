import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemRandom } from '../platform/random.ts';
import { ArchiveReader } from './archive-reader.ts';
import { ArchiveWriter } from './archive-writer.ts';
import { type EncodedExchange, encodeExchange, encodeHeadersOnly, encodeRevisit } from './encode-exchange.ts';
import type { PlacedExchange } from './exchange.ts';
import { BACKGROUND_BYTES, storedMember } from './gzip-member.ts';
import { sampleExchange } from './sample-exchange.ts';

let directory: string;
let reader: ArchiveReader;
let segments = 0;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'curlew-archive-'));
  reader = new ArchiveReader(directory);
  segments = 0;
});
afterEach(async () => {
  await reader.close();
  await rm(directory, { recursive: true, force: true });
});

async function write(exchanges: readonly EncodedExchange[], segmentBytes = 1_000_000): Promise<PlacedExchange[]> {
  const allocateSegment = async () => ++segments;
  const writer = await ArchiveWriter.open(directory, { allocateSegment, segmentBytes });
  const placed = [];
  for (const exchange of exchanges) {
    placed.push(writer.append(exchange));
    await writer.flush();
  }
  await writer.close();
  return placed;
}

async function writeOne(exchange: EncodedExchange): Promise<PlacedExchange> {
  const [placed] = await write([exchange]);
  if (placed === undefined) throw new Error('nothing was written');
  return placed;
}

const segment = () => join(directory, 'curlew-00000001.warc.gz');

describe('the archive reader', () => {
  it('gives a response as it was received', async () => {
    const exchange = sampleExchange({
      status: 203,
      statusText: 'Non-Authoritative Information',
      responseHeaders: [
        ['Set-Cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['Transfer-Encoding', 'chunked'],
        ['X-Empty', ''],
      ],
    });
    const { response } = await writeOne(await encodeExchange(exchange, systemRandom));
    expect(await reader.readResponse(response)).toMatchObject({
      kind: 'whole',
      targetUri: exchange.targetUri,
      at: exchange.at,
      status: 203,
      statusText: 'Non-Authoritative Information',
      headers: exchange.responseHeaders,
      body: exchange.body,
      bodySha256: exchange.bodySha256,
      remoteAddress: '192.0.2.7',
    });
  });

  it('gives a request with its body', async () => {
    const exchange = sampleExchange({ method: 'POST', requestBody: Buffer.from('a=1&b=2') });
    const { request } = await writeOne(await encodeExchange(exchange, systemRandom));
    expect(await reader.readRequest(request)).toEqual({
      targetUri: exchange.targetUri,
      at: exchange.at,
      method: 'POST',
      headers: [['Host', 'court.example'], ...exchange.requestHeaders],
      body: Buffer.from('a=1&b=2'),
    });
  });

  it('gives a large body', async () => {
    const body = Buffer.alloc(3 * BACKGROUND_BYTES, 'the court finds ');
    const { response } = await writeOne(await encodeExchange(sampleExchange({ body }), systemRandom));
    expect(await reader.readResponse(response)).toMatchObject({ kind: 'whole', body });
  });

  it('gives a revisit its own headers and the body of its original', async () => {
    const original = sampleExchange();
    const again = sampleExchange({ targetUri: 'https://court.example/copy', responseHeaders: [['ETag', '"2"']] });
    const [first, second] = await write([
      await encodeExchange(original, systemRandom),
      encodeRevisit(again, original, systemRandom),
    ]);
    if (!first || !second) throw new Error('nothing was written');
    expect(await reader.readResponse(second.response, first.response)).toMatchObject({
      kind: 'whole',
      targetUri: 'https://court.example/copy',
      headers: [['ETag', '"2"']],
      body: original.body,
    });
  });

  it('refuses a revisit without its original, or with one that has another body', async () => {
    const original = sampleExchange();
    const [other, revisit] = await write([
      await encodeExchange(sampleExchange({ body: 'something else' }), systemRandom),
      encodeRevisit(original, original, systemRandom),
    ]);
    if (!other || !revisit) throw new Error('nothing was written');
    await expect(reader.readResponse(revisit.response)).rejects.toMatchObject({ code: 'archive_damaged' });
    await expect(reader.readResponse(revisit.response, other.response)).rejects.toMatchObject({
      code: 'archive_damaged',
      message: expect.stringContaining(original.bodySha256),
    });
  });

  it('says of a download which file it was', async () => {
    const file = { sha256: 'cd'.repeat(32), size: 123 };
    const { response } = await writeOne(encodeHeadersOnly(sampleExchange(), file, systemRandom));
    expect(await reader.readResponse(response)).toMatchObject({ kind: 'headers_only', file, status: 200 });
  });

  it('reads from many segments at once', async () => {
    const bodies = Array.from({ length: 40 }, (_, n) => `page ${n}`);
    const encoded = await Promise.all(bodies.map((body) => encodeExchange(sampleExchange({ body }), systemRandom)));
    const placed = await write(encoded, 1);
    expect(placed.at(-1)?.response.segment).toBe(40);
    const responses = await Promise.all(placed.map(({ response }) => reader.readResponse(response)));
    expect(responses.map((response) => response.kind === 'whole' && response.body.toString())).toEqual(bodies);
  });
});

describe('a damaged archive', () => {
  it('is reported with file and place when bytes are missing', async () => {
    const { response } = await writeOne(await encodeExchange(sampleExchange(), systemRandom));
    await truncate(segment(), response.offset + response.length - 3);
    await expect(reader.readResponse(response)).rejects.toMatchObject({
      code: 'archive_damaged',
      message: `The record at byte ${response.offset} of ${segment()} is cut off: 3 bytes are missing`,
    });
  });

  it('is reported when a segment is missing, and read again when it is back', async () => {
    const { response } = await writeOne(await encodeExchange(sampleExchange(), systemRandom));
    const content = await readFile(segment());
    await rm(segment());
    await expect(reader.readResponse(response)).rejects.toMatchObject({ code: 'archive_damaged' });
    await writeFile(segment(), content);
    expect(await reader.readResponse(response)).toMatchObject({ kind: 'whole' });
  });

  it('never gives wrong bytes, whichever bit is flipped', async () => {
    const exchange = sampleExchange();
    const { response } = await writeOne(await encodeExchange(exchange, systemRandom));
    const content = await readFile(segment());
    for (let at = response.offset; at < response.offset + response.length; at++) {
      const damaged = Buffer.from(content);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      await writeFile(segment(), damaged);
      const result = await reader.readResponse(response).catch((error: unknown) => error);
      // Some bits of the gzip header mean nothing; all others are noticed.
      if (result instanceof Error) expect(result).toMatchObject({ code: 'archive_damaged' });
      else expect(result).toMatchObject({ kind: 'whole', body: exchange.body, headers: exchange.responseHeaders });
    }
  });

  it('is noticed by the digest when a record with a sound CRC is not what it claims', async () => {
    const exchange = { ...sampleExchange(), bodySha256: '00'.repeat(32) };
    const { response } = await writeOne(await encodeExchange(exchange, systemRandom));
    await expect(reader.readResponse(response)).rejects.toMatchObject({
      code: 'archive_damaged',
      message: expect.stringContaining('SHA-256'),
    });
  });

  it('is what a location that points to another kind of record means', async () => {
    const { request, response } = await writeOne(await encodeExchange(sampleExchange(), systemRandom));
    const junk = await writeOne({
      request: storedMember([Buffer.from('junk')]),
      response: storedMember([]),
    });
    await expect(reader.readResponse(junk.request)).rejects.toMatchObject({ code: 'archive_damaged' });
    await expect(reader.readResponse(request)).rejects.toMatchObject({ code: 'archive_damaged' });
    await expect(reader.readRequest(response)).rejects.toMatchObject({ code: 'archive_damaged' });
  });
});

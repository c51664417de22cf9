import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBody } from './content-coding.ts';
import { type ContentCoding, decodePieces } from './decoder.ts';

const text = Buffer.from('text'.repeat(300));
const gzip = zlib.gzipSync(text);
const zstd = zlib.zstdCompressSync(text, { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } });
const skippable = (length: number) => {
  const frame = Buffer.alloc(8 + length, 'x');
  frame.writeUInt32LE(0x184d2a57);
  frame.writeUInt32LE(length, 4);
  return frame;
};
const zeros = Buffer.alloc(512);
const junk = Buffer.from('junk');

/** What comes of a body as a page, and as a download that arrives in pieces of this size. */
async function decodedBoth(coding: ContentCoding, body: Buffer, pieceBytes: number): Promise<(string | undefined)[]> {
  const pieces = Array.from({ length: Math.ceil(body.length / pieceBytes) }, (_, index) =>
    body.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  const page = decodeBody(body, [coding], 2 ** 20).then((bytes) => Buffer.from(bytes).toString());
  const download = buffer(Readable.from(decodePieces(Readable.from(pieces), coding))).then(String);
  return Promise.all([page.catch(() => undefined), download.catch(() => undefined)]);
}

const whole: readonly (readonly [string, ContentCoding, Buffer, number])[] = [
  ['deflate', 'deflate', zlib.deflateSync(text), 1],
  ['deflate without its header', 'deflate', zlib.deflateRawSync(text), 1],
  ['gzip', 'gzip', gzip, 1],
  ['two members of gzip', 'gzip', Buffer.concat([gzip, gzip]), 2],
  ['gzip filled up with zeros', 'gzip', Buffer.concat([gzip, zeros]), 1],
  ['br', 'br', zlib.brotliCompressSync(text), 1],
  ['zstd', 'zstd', zstd, 1],
  ['two frames of zstd', 'zstd', Buffer.concat([zstd, zstd]), 2],
  ['a skippable frame of zstd before and behind', 'zstd', Buffer.concat([skippable(9), zstd, skippable(0)]), 1],
  ['a skippable frame of zstd alone', 'zstd', skippable(300), 0],
  ['nothing', 'gzip', Buffer.alloc(0), 0],
];
const broken: readonly (readonly [string, ContentCoding, Buffer])[] = [
  ['gzip and junk', 'gzip', Buffer.concat([gzip, junk])],
  ['gzip, a zero and junk', 'gzip', Buffer.concat([gzip, Buffer.alloc(1), junk])],
  ['gzip, zeros and another member', 'gzip', Buffer.concat([gzip, zeros, gzip])],
  ['gzip and the beginning of a member', 'gzip', Buffer.concat([gzip, gzip.subarray(0, 1)])],
  ['deflate and junk', 'deflate', Buffer.concat([zlib.deflateSync(text), junk])],
  ['deflate without its header, and junk', 'deflate', Buffer.concat([zlib.deflateRawSync(text), junk])],
  ['deflate and a zero', 'deflate', Buffer.concat([zlib.deflateSync(text), Buffer.alloc(1)])],
  ['br and junk', 'br', Buffer.concat([zlib.brotliCompressSync(text), junk])],
  ['zstd and junk', 'zstd', Buffer.concat([zstd, junk])],
  ['zstd and a zero', 'zstd', Buffer.concat([zstd, Buffer.alloc(1)])],
  ['zstd and the beginning of a frame', 'zstd', Buffer.concat([zstd, zstd.subarray(0, 3)])],
  ['zstd and part of a skippable frame', 'zstd', Buffer.concat([zstd, skippable(9).subarray(0, 12)])],
  ['zstd cut short', 'zstd', zstd.subarray(0, -1)],
  ['tiny frames of zstd without number', 'zstd', Buffer.concat(Array(2_000).fill(skippable(0)))],
];

describe('decoding', () => {
  describe.each([1, 2, 7, 2 ** 16])('in pieces of %i bytes', (pieceBytes) => {
    it.each(whole)('takes off %s, as of a page', async (_what, coding, body, times) => {
      const expected = text.toString().repeat(times);
      expect(await decodedBoth(coding, body, pieceBytes)).toEqual([expected, expected]);
    });

    it.each(broken)('refuses %s, as of a page', async (_what, coding, body) => {
      expect(await decodedBoth(coding, body, pieceBytes)).toEqual([undefined, undefined]);
    });
  });

  it('takes frames of every kind that zstd is written in, wherever they are cut', async () => {
    const frame = fc
      .record({
        body: fc.oneof(
          fc.uint8Array({ maxLength: 300 }),
          fc.nat(300_000).map((size) => Buffer.alloc(size, 'ab')),
        ),
        checksum: fc.boolean(),
        contentSize: fc.boolean(),
        skipped: fc.nat(20),
      })
      .map(({ body, checksum, contentSize, skipped }) => {
        const params = {
          [zlib.constants.ZSTD_c_checksumFlag]: Number(checksum),
          [zlib.constants.ZSTD_c_contentSizeFlag]: Number(contentSize),
        };
        return { body, encoded: Buffer.concat([skippable(skipped), zlib.zstdCompressSync(body, { params })]) };
      });
    await fc.assert(
      fc.asyncProperty(
        fc.array(frame, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 500 }),
        async (frames, size) => {
          const expected = Buffer.concat(frames.map(({ body }) => body)).toString();
          const encoded = Buffer.concat(frames.map((one) => one.encoded));
          const [page, download] = await decodedBoth('zstd', encoded, size);
          expect(page === expected && download === expected).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });
});

import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codingsOf, decodeBody } from './content-coding.ts';
import type { ContentCoding } from './decoder.ts';

const ENCODE: Readonly<Record<ContentCoding, (bytes: Uint8Array) => Buffer>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: (bytes) => zlib.zstdCompressSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
};
const codingArbitrary = fc.constantFrom<ContentCoding>('gzip', 'br', 'zstd', 'deflate');

describe('codingsOf', () => {
  it.each([
    [[], []],
    [['gzip'], ['gzip']],
    [['GZip'], ['gzip']],
    [['x-gzip'], ['gzip']],
    [['deflate, br'], ['br', 'deflate']],
    [
      ['deflate', 'br'],
      ['br', 'deflate'],
    ],
    [['identity, gzip, '], ['gzip']],
    [['none'], []],
    [['gzip, sdch'], []],
  ] as const)('reads %j as %j, outermost first', (values, codings) => {
    expect(codingsOf(values.map((value) => ['Content-Encoding', value] as const))).toEqual(codings);
  });

  it('refuses three and more', () => {
    const three = [['content-encoding', 'gzip, gzip, gzip']] as const;
    expect(() => codingsOf(three)).toThrowError(expect.objectContaining({ code: 'too_many_encodings' }));
  });
});

describe('decodeBody', () => {
  it('gives back what was encoded, at every size, in every coding and pair of codings', async () => {
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }),
      fc.nat(3_000_000).map((size) => Buffer.alloc(size, 'ab')),
    );
    await fc.assert(
      fc.asyncProperty(bodies, fc.array(codingArbitrary, { minLength: 1, maxLength: 2 }), async (body, codings) => {
        const encoded = codings.toReversed().reduce<Uint8Array>((bytes, coding) => ENCODE[coding](bytes), body);
        expect(Buffer.from(await decodeBody(encoded, codings, 4_000_000)).equals(Buffer.from(body))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('takes exactly the limit and not a byte more', async () => {
    for (const size of [1000, 2_000_000]) {
      const encoded = zlib.gzipSync(Buffer.alloc(size));
      expect((await decodeBody(encoded, ['gzip'], size)).length).toBe(size);
      await expect(decodeBody(encoded, ['gzip'], size - 1)).rejects.toMatchObject({ code: 'decoded_too_large' });
    }
  });

  it('takes as much between two codings, of what comes to nothing too', async () => {
    const size = 2_000_000;
    // Zeros behind a member of gzip are passed over.
    const between = Buffer.concat([zlib.gzipSync('page'), Buffer.alloc(size)]);
    const encoded = zlib.gzipSync(between);
    expect(Buffer.from(await decodeBody(encoded, ['gzip', 'gzip'], between.length)).toString()).toBe('page');
    const tooLarge = { code: 'decoded_too_large' };
    await expect(decodeBody(encoded, ['gzip', 'gzip'], between.length - 1)).rejects.toMatchObject(tooLarge);
  });

  it('never takes a beginning for the whole', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 500 }),
        codingArbitrary,
        fc.nat(),
        async (body, coding, at) => {
          const encoded = ENCODE[coding](body);
          const cut = encoded.subarray(0, 1 + (at % (encoded.length - 1)));
          await expect(decodeBody(cut, [coding], 10_000)).rejects.toMatchObject({ code: 'bad_encoding' });
        },
      ),
      { numRuns: 300 },
    );
  });
});

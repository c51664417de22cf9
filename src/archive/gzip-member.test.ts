import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BACKGROUND_BYTES, gunzipMember, gzipLargeMember, gzipMember, storedMember } from './gzip-member.ts';

const sizes = fc.oneof(fc.nat({ max: 300 }), fc.constantFrom(0, 1, 65534, 65535, 65536, 131070, 131071, 200_000));
/** A record may be in parts. */
const halves = (content: Buffer) => [content.subarray(0, content.length >> 1), content.subarray(content.length >> 1)];
const contents = sizes.map((size) => Buffer.from(Array.from({ length: size }, (_, at) => (at * at) % 251)));

describe('a gzip member', () => {
  it('that is stored is read by zlib as the same bytes, also across block boundaries', () => {
    fc.assert(
      fc.property(contents, (content) => {
        expect(gunzipSync(Buffer.concat(storedMember([content]))).equals(content)).toBe(true);
        expect(gunzipSync(Buffer.concat(storedMember(halves(content)))).equals(content)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('is read back as the same bytes, whichever way it was made', async () => {
    await fc.assert(
      fc.asyncProperty(contents, async (content) => {
        const parts = halves(content);
        for (const member of [gzipMember(content), await gzipLargeMember(parts), storedMember(parts)]) {
          expect((await gunzipMember(Buffer.concat(member))).equals(content)).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('that is large is decompressed too', async () => {
    const content = Buffer.alloc(BACKGROUND_BYTES + 5, 'abcdefg');
    expect((await gunzipMember(Buffer.concat(storedMember([content])))).equals(content)).toBe(true);
  });

  it('with a flipped bit is refused', async () => {
    const member = Buffer.concat(storedMember([Buffer.from('the court finds')]));
    member[20] = (member[20] ?? 0) ^ 1;
    await expect(gunzipMember(member)).rejects.toThrow();
  });
});

import { createHook } from 'node:async_hooks';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reusedGzip } from './reused-gzip.ts';

describe('a compressor that is used again', () => {
  it('makes members that stand for themselves, whatever came before', () => {
    const compress = reusedGzip({ level: 1 });
    const lengths = fc.oneof(fc.nat({ max: 300 }), fc.constantFrom(0, 1, 16_383, 16_384, 16_385, 200_000));
    const contents = fc.tuple(lengths, fc.nat({ max: 255 })).map(([length, seed]) => {
      return Buffer.from(Array.from({ length }, (_, at) => (at * at * seed) % 251));
    });
    fc.assert(
      fc.property(fc.array(contents, { maxLength: 5 }), (records) => {
        for (const record of records) expect(gunzipSync(compress(record)).equals(record)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('does not change what it has handed out', () => {
    const compress = reusedGzip({ level: 1 });
    const first = compress(Buffer.from('the first record'));
    compress(Buffer.from('another record, and a longer one'));
    expect(gunzipSync(first).toString()).toBe('the first record');
  });

  it('is not made anew for every record, on the Node that runs this test', () => {
    const compress = reusedGzip({ level: 1 });
    let made = 0;
    const hook = createHook({ init: (_id, type) => (made += type === 'ZLIB' ? 1 : 0) }).enable();
    for (let record = 0; record < 10; record++) compress(Buffer.from('a record'));
    const reused = made;
    gzipSync(Buffer.from('a record'));
    hook.disable();
    expect({ reused, gzipSync: made - reused }).toEqual({ reused: 0, gzipSync: 1 });
  });
});

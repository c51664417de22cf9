import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRange } from './byte-range.ts';

const NOW = { etag: '"abc"', modifiedAt: Date.parse('2026-01-31T14:02:07.123Z') };
const WHOLE = { kind: 'whole' };
const NONE = { kind: 'unsatisfiable' };
const part = (first: number, last: number) => ({ kind: 'part', first, last });

describe('a range of a file of 100 bytes', () => {
  it.each([
    ['bytes=0-9', part(0, 9)],
    ['bytes=90-', part(90, 99)],
    ['bytes=90-500', part(90, 99)],
    ['bytes=-10', part(90, 99)],
    ['bytes=-500', part(0, 99)],
    ['BYTES=0-0', part(0, 0)],
    ['bytes=100-', NONE],
    ['bytes=100-200', NONE],
    ['bytes=-0', NONE],
    ['bytes=9-0', WHOLE],
    ['bytes=-', WHOLE],
    ['bytes=0-1,5-6', WHOLE],
    ['lines=0-9', WHOLE],
    ['bytes=a-b', WHOLE],
    ['bytes=1.5-2', WHOLE],
    ['', WHOLE],
    [undefined, WHOLE],
  ])('%s', (range, expected) => {
    expect(readRange(range, undefined, 100, NOW)).toEqual(expected);
  });

  it.each([
    ['"abc"', part(0, 9)],
    ['W/"abc"', WHOLE],
    ['"other"', WHOLE],
    ['Sat, 31 Jan 2026 14:02:07 GMT', part(0, 9)],
    ['Sat, 31 Jan 2026 14:02:08 GMT', WHOLE],
    ['nonsense', WHOLE],
  ])('with If-Range: %s', (ifRange, expected) => {
    expect(readRange('bytes=0-9', ifRange, 100, NOW)).toEqual(expected);
  });

  it('of an empty file there is no part', () => {
    expect(readRange('bytes=0-', undefined, 0, NOW)).toEqual(NONE);
    expect(readRange('bytes=-1', undefined, 0, NOW)).toEqual(NONE);
  });

  it('whatever is asked for, a part lies within the file', () => {
    const range = fc.oneof(fc.string(), fc.stringMatching(/^bytes=\d{0,17}-\d{0,17}$/));
    fc.assert(
      fc.property(range, fc.nat(1_000), (asked, size) => {
        const found = readRange(asked, undefined, size, NOW);
        if (found.kind !== 'part') return;
        expect(found.first).toBeGreaterThanOrEqual(0);
        expect(found.last).toBeGreaterThanOrEqual(found.first);
        expect(found.last).toBeLessThan(size);
      }),
    );
  });
});

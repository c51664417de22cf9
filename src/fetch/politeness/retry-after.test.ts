import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from './retry-after.ts';

const now = Date.UTC(1994, 10, 6, 8, 49, 30);
const maxMs = 3_600_000;
const parse = (value: string | undefined) => parseRetryAfter(value, now, { maxMs });

describe('parseRetryAfter', () => {
  it.each([
    ['5', 5_000],
    ['0', 0],
    [' 7 ', 7_000],
    ['007', 7_000],
    ['3600', maxMs],
    ['3601', maxMs],
    ['9'.repeat(400), maxMs],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 7_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 7_000],
    ['Sun Nov  6 08:49:37 1994', 7_000],
    ['Wed Nov 16 08:49:37 1994', maxMs],
    ['Sun, 06 Nov 1994 08:49:29 GMT', 0],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Fri, 31 Dec 9999 23:59:59 GMT', maxMs],
    ['Sun, 06 Nov 1994 08:49:60 GMT', 30_000],
  ])('%j is a wait of %d ms', (value, waitMs) => {
    expect(parse(value)).toBe(waitMs);
  });

  it.each([
    undefined,
    '',
    '-1',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    '5, 5',
    '5s',
    'soon',
    'Sun, 06 Nov 1994',
    'Sun, 31 Feb 1994 08:49:37 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:49:37 CET',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    '1994-11-06T08:49:37Z',
  ])('%j is ignored', (value) => {
    expect(parse(value)).toBeUndefined();
  });

  it('takes a two-digit year more than 50 years ahead for one of the last century', () => {
    const inMay2026 = Date.UTC(2026, 4, 1);
    const wait = (value: string) => parseRetryAfter(value, inMay2026, { maxMs: Number.MAX_SAFE_INTEGER });
    expect(wait('Friday, 01-May-76 00:00:00 GMT')).toBe(Date.UTC(2076, 4, 1) - inMay2026);
    expect(wait('Sunday, 01-May-77 00:00:00 GMT')).toBe(0);
  });

  it('reads every date that JavaScript prints in the first form, to the second', () => {
    const seconds = fc.integer({ min: 0, max: Date.UTC(9999, 0, 1) / 1_000 });
    fc.assert(
      fc.property(seconds, seconds, (now, then) => {
        const value = new Date(then * 1_000).toUTCString();
        const expected = Math.max(0, then - now) * 1_000;
        expect(parseRetryAfter(value, now * 1_000, { maxMs: Number.MAX_SAFE_INTEGER })).toBe(expected);
      }),
    );
  });

  it('is undefined or within its limits, whatever the header says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const waitMs = parse(value) ?? 0;
        expect(waitMs >= 0 && waitMs <= maxMs).toBe(true);
      }),
    );
  });
});

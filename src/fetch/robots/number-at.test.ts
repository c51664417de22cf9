import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberAt } from './number-at.ts';

const read = (value: string) => numberAt(Buffer.from(`9${value}9`), 1, 1 + value.length);

describe('numberAt', () => {
  it.each([
    ['10', 10],
    ['0.5', 0.5],
    ['12.75 s', 12.75],
    ['007', 7],
    ['3,5', 3],
    ['2.', 2],
    ['2.x', 2],
    ['2..5', 2],
    ['.5', Number.NaN],
    ['-1', Number.NaN],
    ['/', Number.NaN],
    [':', Number.NaN],
    ['', Number.NaN],
  ])('of %j is %d', (value, number) => {
    expect(read(value)).toBe(number);
  });

  it('is what the language reads, for any number of a sensible length', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(digits, digits, (whole, fraction) => {
        expect(read(whole)).toBe(Number(whole));
        expect(read(`${whole}.${fraction}`)).toBe(Number(`${whole}.${fraction}`));
      }),
    );
  });

  it('is not finite when it has more digits than a number can', () => {
    expect(Number.isFinite(read('9'.repeat(400)))).toBe(false);
  });
});

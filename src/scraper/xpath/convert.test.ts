import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberToString, stringToNumber } from './convert.ts';

describe('numberToString', () => {
  it.each([
    [0, '0'],
    [-0, '0'],
    [1, '1'],
    [-1.5, '-1.5'],
    [1e21, '1000000000000000000000'],
    [1.5e21, '1500000000000000000000'],
    [-1.25e-7, '-0.000000125'],
    [5e-324, `0.${'0'.repeat(323)}5`],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
  ])('writes %d as %s', (number, text) => {
    expect(numberToString(number)).toBe(text);
  });

  it('writes every finite number so that stringToNumber reads it again', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(stringToNumber(numberToString(number))).toBe(number === 0 ? 0 : number);
      }),
    );
  });
});

describe('stringToNumber', () => {
  it.each([
    [' \t12.50\r\n', 12.5],
    ['-.5', -0.5],
    ['7.', 7],
  ])('reads %j as %d', (text, number) => {
    expect(stringToNumber(text)).toBe(number);
  });

  it.each(['', ' ', '.', '-', '+1', '1e3', '0x10', '1,000', '1 2', '- 1', 'Infinity', '\u00a01', '١'])(
    'reads %j as NaN',
    (text) => {
      expect(stringToNumber(text)).toBeNaN();
    },
  );
});

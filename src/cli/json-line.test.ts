import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLine } from './json-line.ts';

describe('jsonLine', () => {
  it('means the same as the value, on one line', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        expect(JSON.parse(jsonLine(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(jsonLine(value)).not.toMatch(/[\r\n]/);
      }),
    );
  });

  it('never holds a character that steers a terminal', () => {
    const hostile = '\x1b[2J\x9b31m\x07\u202eevil\u2028';
    expect(jsonLine({ [hostile]: hostile })).toBe(
      String.raw`{"\u001b[2J\u009b31m\u0007\u202eevil\u2028":"\u001b[2J\u009b31m\u0007\u202eevil\u2028"}`,
    );
  });
});

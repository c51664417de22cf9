import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ALLOW } from './robots-field.ts';
import { RobotsText } from './robots-text.ts';

const MAX_LINE_BYTES = 16_663;
const textOf = (text: string) => new RobotsText(Buffer.from(text, 'latin1'));
const firstNumber = (value: string) => textOf(`9${value}`).number(1);

describe('the text of robots.txt', () => {
  it('has lines that end in LF, and as many of them', () => {
    expect(textOf('a\rb\r\nc\n\r\rd').text).toBe('a\nb\r\nc\n\n\nd');
  });

  it('ends a value before its comment and the blanks around it', () => {
    const robots = textOf('allow: /a b \t# c\r\nallow: /d\v\r\n#');
    expect(Array.from(ALLOW.all(robots.text), (at) => robots.value(at))).toEqual(['/a b', '/d']);
  });

  it('gives a value back as it was written', () => {
    const robots = new RobotsText(Buffer.from('\u00e9: /\u00e9\u30c4'));
    expect(robots.value(4)).toBe('/\u00e9\u30c4');
  });

  it('counts its lines', () => {
    const robots = textOf('a\n\nb\r\nc');
    expect([0, 1, 2, 3, 4, 5, 6].map((at) => robots.lineNumber(at))).toEqual([1, 1, 2, 3, 3, 3, 4]);
  });

  it('drops what is beyond 16,663 bytes of a line, and goes on with the next', () => {
    const long = (extra: number) => 'x'.repeat(MAX_LINE_BYTES + extra);
    expect(textOf(`${long(0)}\nallow: /`).text).toBe(`${long(0)}\nallow: /`);
    expect(textOf(`${long(1)}\nallow: /`).text).toBe(`${long(0)}\nallow: /`);
    expect(textOf(`a\n${long(90_000)}\nb\n${long(1)}`).text).toBe(`a\n${long(0)}\nb\n${long(0)}`);
  });

  it('has no line that is longer, and loses nothing of the others', () => {
    const lengths = fc.array(
      fc.oneof(fc.nat({ max: 3 }), fc.integer({ min: MAX_LINE_BYTES - 2, max: MAX_LINE_BYTES * 3 })),
      {
        maxLength: 6,
      },
    );
    fc.assert(
      fc.property(lengths, (lengths) => {
        const lines = lengths.map((length) => 'x'.repeat(length));
        expect(textOf(lines.join('\n')).text).toBe(lines.map((line) => line.slice(0, MAX_LINE_BYTES)).join('\n'));
      }),
    );
  });

  it.each([
    ['10', 10],
    ['0.5', 0.5],
    ['12.75 s', 12.75],
    ['007', 7],
    ['3,5', 3],
    ['2.', 2],
    ['2.x', 2],
    ['2..5', 2],
    ['1e3', 1],
    ['.5', 0.5],
    ['-1', Number.NaN],
    ['/', Number.NaN],
    [':', Number.NaN],
    ['', Number.NaN],
    ['9'.repeat(400), Number.POSITIVE_INFINITY],
  ])('begins with a number or not: %j is %d', (value, number) => {
    expect(firstNumber(value)).toBe(number);
  });
});

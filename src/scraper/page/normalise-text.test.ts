import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normaliseText } from './normalise-text.ts';

/** Text with a lot of what normalisation is about. */
const awkward = fc
  .array(
    fc.oneof(
      fc.constantFrom(' ', '\t', '\n', '\r', '\u00a0', '\u2009', '\u3000', '\u2028', '\v', '\f'),
      fc.constantFrom('\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u200e', '\u202a', '\u2066'),
      fc.constantFrom('e', 'a', '\u0301', '\u0308', '\u0327', '\u1100', '\u1161', '\u11a8', '\uac00', '\ufa19', '神'),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map((parts) => parts.join(''));

describe('normaliseText', () => {
  it.each([
    ['', ''],
    [' \n\t ', ''],
    ['plain text', 'plain text'],
    ['  In the\n   matter\tof ', 'In the matter of'],
    ['Grand\u00a0Court', 'Grand Court'],
    ['10\u202f000\u2009€', '10 000 €'],
    ['Grund\u00adstücks\u200bver\u2060kehr\ufeff', 'Grundstücksverkehr'],
    ['\u200e2026-01-05\u200f', '2026-01-05'],
    ['a \u200b b', 'a b'],
    ['José', 'José'],
    ['Mu\u0308ller and Jose\u0301', 'Müller and José'],
    ['\u1112\u1161\u11ab\u1100\u1173\u11af', '한글'],
    ['か\u3099', 'が'],
  ])('makes %j into %j', (text, expected) => {
    expect(normaliseText(text)).toBe(expected);
  });

  it('leaves characters alone that merely have an equivalent', () => {
    expect(normaliseText('\ufa19 5 \u2126')).toBe('\ufa19 5 \u2126');
  });

  it('keeps the joiners that are part of the spelling', () => {
    expect(normaliseText('می\u200cخواهم 👩\u200d⚖️')).toBe('می\u200cخواهم 👩\u200d⚖️');
  });

  it('leaves no white space at the ends, none twice, and no kind but the space', () => {
    fc.assert(
      fc.property(awkward, (text) => {
        expect(normaliseText(text)).not.toMatch(/^\s|\s$|\s\s|[^\S ]/);
      }),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(awkward, (text) => {
        const once = normaliseText(text);
        expect(normaliseText(once)).toBe(once);
      }),
    );
  });

  it('loses and adds nothing but white space and invisible characters', () => {
    const essence = (text: string) =>
      text.replace(/[\s\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g, '').normalize('NFC');
    fc.assert(
      fc.property(awkward, (text) => {
        expect(essence(normaliseText(text))).toBe(essence(text));
      }),
    );
  });

  it('takes linear time on text made to be slow', () => {
    const hostile = `${'a '.repeat(500_000)}\u00a0`;
    expect(normaliseText(hostile)).toHaveLength(999_999);
    expect(normaliseText(' '.repeat(1_000_000))).toBe('');
    const marks = `a${'\u0301\u0316'.repeat(500_000)}`;
    expect(normaliseText(marks)).toBe(marks);
  });
});

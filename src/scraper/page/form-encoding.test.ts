import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFields, sendableEncoding } from './form-encoding.ts';

const ENCODINGS = [
  'utf-8',
  'windows-1252',
  'windows-1251',
  'iso-8859-2',
  'iso-8859-15',
  'koi8-r',
  'ibm866',
  'macintosh',
];

/** What a server does with a form in a known encoding. */
function decode(encoded: string, encoding: string): string[][] {
  const text = (part: string) => {
    const latin = part
      .replaceAll('+', ' ')
      .replace(/%(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
    return new TextDecoder(encoding, { ignoreBOM: true }).decode(Buffer.from(latin, 'latin1'));
  };
  return encoded === '' ? [] : encoded.split('&').map((pair) => pair.split('=').map(text));
}

describe('encodeFields', () => {
  it('escapes as browsers do', () => {
    expect(
      encodeFields(
        [
          ['a b', "x*-._~!'()"],
          ['', '=&+%\r\n'],
        ],
        'utf-8',
      ),
    ).toBe('a+b=x*-._%7E%21%27%28%29&=%3D%26%2B%25%0D%0A');
    expect(
      encodeFields(
        [
          ['a b', "x*-._~!'()"],
          ['', '=&+%\r\n'],
        ],
        'windows-1252',
      ),
    ).toBe('a+b=x*-._%7E%21%27%28%29&=%3D%26%2B%25%0D%0A');
  });

  it.each(ENCODINGS)('in %s is read back as it was', (encoding) => {
    const all = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, index) => index));
    const writable =
      encoding === 'utf-8'
        ? fc.string({ unit: 'binary' })
        : fc.string({ unit: fc.constantFrom(...all.replaceAll('\ufffd', '')) });
    fc.assert(
      fc.property(fc.array(fc.tuple(writable, writable)), (fields) => {
        expect(decode(encodeFields(fields, encoding), encoding)).toEqual(fields);
      }),
    );
  });

  it('writes a reference for what the encoding lacks', () => {
    expect(encodeFields([['q', '日😀']], 'windows-1252')).toBe('q=%26%2326085%3B%26%23128512%3B');
  });
});

describe('sendableEncoding', () => {
  it('falls back to UTF-8 for encodings of more than one byte', () => {
    expect(['utf-8', 'utf-16le', 'gbk', 'shift_jis', 'big5'].map(sendableEncoding)).toEqual(Array(5).fill('utf-8'));
    expect(sendableEncoding('windows-1251')).toBe('windows-1251');
  });
});

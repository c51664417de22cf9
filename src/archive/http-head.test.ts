import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Header } from './exchange.ts';
import { formatHttpHead, parseHttpHead } from './http-head.ts';

const names = fc
  .stringMatching(/^[A-Za-z][A-Za-z-]{0,20}$/)
  .chain((name) =>
    fc.constantFrom(name, `x-archive-orig-${name}`, 'Content-Length', 'Transfer-Encoding', 'content-encoding'),
  );
const values = fc
  .string({ unit: fc.nat(0xff).map((code) => String.fromCharCode(code)), maxLength: 40 })
  .map((text) => text.replace(/[\r\n\0]/g, '').replace(/^[ \t]+|[ \t]+$/g, ''));
const headerLists = fc.array(fc.tuple(names, values), { maxLength: 8 });

function roundTrip(headers: readonly Header[], size: number, decoded: boolean): readonly Header[] | undefined {
  return parseHttpHead(Buffer.from(formatHttpHead('HTTP/1.1 200 OK', headers, { size, decoded }), 'latin1'))?.headers;
}

describe('the head of an archived HTTP message', () => {
  it('gives back every header as received, whatever had to be prefixed', () => {
    fc.assert(
      fc.property(headerLists, fc.nat(), fc.boolean(), (headers, size, decoded) => {
        expect(roundTrip(headers, size, decoded)).toEqual(headers);
      }),
    );
  });

  it('prefixes Transfer-Encoding and a Content-Length that does not fit, and keeps one that does', () => {
    const headers: Header[] = [
      ['Transfer-Encoding', 'chunked'],
      ['content-length', '5'],
      ['Content-Length', '7'],
    ];
    expect(formatHttpHead('HTTP/1.1 200 OK', headers, { size: 7 })).toBe(
      'HTTP/1.1 200 OK\r\nx-archive-orig-Transfer-Encoding: chunked\r\nx-archive-orig-content-length: 5\r\nContent-Length: 7\r\n\r\n',
    );
  });

  it('prefixes Content-Encoding only when the payload is stored decoded', () => {
    const headers: Header[] = [['Content-Encoding', 'gzip']];
    expect(formatHttpHead('X', headers, { size: 0 })).toContain('\r\nContent-Encoding: gzip');
    expect(formatHttpHead('X', headers, { size: 0, decoded: true })).toContain(
      '\r\nx-archive-orig-Content-Encoding: gzip',
    );
  });

  it('lets no name, value or start line begin a line of its own', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\r', '\n', '\0', ':', ' ') });
    fc.assert(
      fc.property(text, fc.array(fc.tuple(text, text), { maxLength: 4 }), (startLine, headers) => {
        const lines = formatHttpHead(`x${startLine}`, headers, { size: 0 }).split(/\r\n|\r|\n/);
        expect(lines).toHaveLength(headers.length + 3);
        expect(lines.slice(0, -2)).not.toContain('');
      }),
      { examples: [['HTTP/1.1 200 x', [['a', 'b\r\n\r\n<script>']]]] },
    );
  });

  it('has a character for each byte: what is none is written in UTF-8, and begins no line either', () => {
    const head = formatHttpHead('HTTP/1.1 200 \u010d\u010a', [['A', 'é\u20ac']], { size: 0 });
    expect(Buffer.from(head, 'latin1').toString()).toBe('HTTP/1.1 200 \u010d\u010a\r\nA: é\u20ac\r\n\r\n');
    expect(formatHttpHead('HTTP/1.1 200 OK', [['A', 'Ã©']], { size: 0 })).toContain('A: Ã©\r\n');
  });

  it('is undefined when the head is not complete', () => {
    expect(parseHttpHead(Buffer.from('HTTP/1.1 200 OK\r\nA: b\r\n'))).toBeUndefined();
    expect(parseHttpHead(Buffer.from('HTTP/1.1 200 OK\r\nno colon\r\n\r\n'))).toBeUndefined();
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from './read-lines.ts';

const read = (text: string) => {
  const bytes = Buffer.from(text, 'latin1');
  const lines = readLines(bytes);
  return Array.from({ length: lines.count }, (_, index) => {
    const [from, to] = [lines.from(index), lines.to(index)];
    expect(from).toBeLessThanOrEqual(to);
    return [lines.number(index), lines.field(index), bytes.toString('latin1', from, to)];
  });
};

/** The same with regular expressions, line by line. */
function oracle(text: string): unknown[] {
  const fields: [RegExp, string][] = [
    [/^user[- ]?agent/i, 'agent'],
    [/^allow/i, 'allow'],
    [/^(?:diss?allow|diss?alow|diasllow|disallaw)/i, 'disallow'],
    [/^site-?map/i, 'sitemap'],
    [/^crawl[- ]?delay/i, 'crawl_delay'],
  ];
  return text.split(/\r\n|\r|\n/).flatMap((line, index) => {
    const content = line.replace(/#.*/s, '').replace(/^[ \t\v\f]+|[ \t\v\f]+$/g, '');
    const [, name, value = ''] =
      /^([^:]*):[ \t\v\f]*(.*)$/s.exec(content) ?? /^([^ \t\v\f]+)[ \t\v\f]+([^ \t\v\f]+)$/s.exec(content) ?? [];
    const field = fields.find(([pattern]) => name !== undefined && pattern.test(name))?.[1];
    return field === undefined ? [] : [[index + 1, field, value]];
  });
}

describe('readLines', () => {
  it('reads what regular expressions read, line by line', () => {
    const names = 'user-agent useragent user agent allow disallow dissallow dissalow disalow diasllow disallaw sitemap';
    const piece = fc.oneof(
      fc.constantFrom(...names.split(' '), 'User Agent', 'SITE-MAP', 'crawl-delay', 'CrawlDelay', 'crawl delay'),
      fc.constantFrom(':', ' ', ' ', '\t', '\v', '\f', '#', '\n', '\n', '\r', '\r\n'),
      fc.constantFrom('/', 'x', 'ed', '\xa0', '\xe9', '\0', '@', '[', '`', '{', '-', 'M'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = pieces.join('');
        expect(read(text)).toEqual(oracle(text));
      }),
      { numRuns: 10_000 },
    );
  });

  it.each(['user\ragent: x', 'crawl\0delay: 1', 'user\x0dagent: x', 'site\rmap: x', 'xllow: /', 'Xisallow: /'])(
    'takes %j for no name, though a byte is all that is wrong',
    (text) => {
      expect(read(text)).toEqual([]);
    },
  );

  it('reads a file of the shortest lines there are', () => {
    expect(read('allow:\n'.repeat(100))).toHaveLength(100);
    expect(read(`${'allow:\n'.repeat(99)}allow:`)).toHaveLength(100);
  });

  it('drops what is beyond 16,663 bytes of a line, and goes on with the next', () => {
    const room = 16_663 - 'Allow: '.length;
    const text = (length: number) => `Allow: ${'x'.repeat(length)}\nDisallow: /`;
    expect(read(text(room))[0]).toEqual([1, 'allow', 'x'.repeat(room)]);
    expect(read(text(room + 1))).toEqual([
      [1, 'allow', 'x'.repeat(room)],
      [2, 'disallow', '/'],
    ]);
    expect(read(`Allow${' '.repeat(16_663)}: /x\n`)).toEqual([]);
    expect(read(`${' '.repeat(16_658)}Allow: /x\n`)).toEqual([]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AGENT,
  ALLOW,
  CRAWL_DELAY,
  DISALLOW,
  type RobotsField,
  RULE,
  RULE_OR_DELAY,
  type Sections,
  SITEMAP,
} from './robots-field.ts';
import { RobotsText } from './robots-text.ts';

const FIELDS = { agent: AGENT, allow: ALLOW, disallow: DISALLOW, sitemap: SITEMAP, crawl_delay: CRAWL_DELAY };
const UNIONS = { rule: RULE, rule_or_delay: RULE_OR_DELAY };

/** Every line with one of `fields`, in order: its number, field and value. */
function read(text: string, fields: Readonly<Record<string, RobotsField>> = FIELDS): [number, string, string][] {
  const robots = new RobotsText(Buffer.from(text, 'latin1'));
  return Object.entries(fields)
    .flatMap(([name, field]) => Array.from(field.all(robots.text), (at) => ({ name, at })))
    .toSorted((a, b) => a.at - b.at)
    .map(({ name, at }) => {
      const end = robots.endOfValue(at);
      expect(at).toBeLessThanOrEqual(end);
      return [robots.lineNumber(at), name, robots.text.slice(at, end)];
    });
}

/** The same line by line, by the rules as they are told. */
function oracle(text: string): [number, string, string][] {
  const names: [RegExp, string][] = [
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
    const field = names.find(([pattern]) => name !== undefined && pattern.test(name))?.[1];
    return field === undefined ? [] : [[index + 1, field, value]];
  });
}

/** Where values of `Allow` stand, `most` of them at a time. */
function inPieces(text: string, sections: Sections, most: number): number[] {
  const all: number[] = [];
  for (;;) {
    const some = ALLOW.some(text, sections, most, all.at(-1));
    expect(some.length).toBeLessThanOrEqual(most);
    all.push(...some);
    if (some.length < most) return all;
  }
}

const names = 'user-agent useragent user agent allow disallow dissallow dissalow disalow diasllow disallaw sitemap';
const piece = fc.oneof(
  fc.constantFrom(...names.split(' '), 'User Agent', 'SITE-MAP', 'crawl-delay', 'CrawlDelay', 'crawl delay'),
  fc.constantFrom(':', ' ', ' ', '\t', '\v', '\f', '#', '\n', '\n', '\r', '\r\n'),
  fc.constantFrom('/', 'x', 'ed', '\xa0', '\xe9', '\0', '@', '[', '`', '{', '-', 'M'),
);
const file = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));

describe('the fields of robots.txt', () => {
  it('are those that the rules say, line by line', () => {
    fc.assert(
      fc.property(file, (text) => {
        expect(read(text)).toEqual(oracle(text));
      }),
      { numRuns: 10_000 },
    );
  });

  it('are found together as they are one by one', () => {
    fc.assert(
      fc.property(file, (text) => {
        const numbers = (...fields: string[]) =>
          oracle(text).flatMap(([number, field]) => (fields.includes(field) ? [number] : []));
        const found = (field: 'rule' | 'rule_or_delay') =>
          read(text, { [field]: UNIONS[field] }).map(([number]) => number);
        expect(found('rule')).toEqual(numbers('allow', 'disallow'));
        expect(found('rule_or_delay')).toEqual(numbers('allow', 'disallow', 'crawl_delay'));
      }),
      { numRuns: 2_000 },
    );
  });

  it('are found by what their values begin with', () => {
    fc.assert(
      fc.property(file, (text) => {
        const values = (field: RobotsField) => read(text, { field }).map(([, , value]) => value);
        expect(values(ALLOW.whose('[x/]'))).toEqual(values(ALLOW).filter((value) => /^[x/]/.test(value)));
        expect(values(ALLOW.whose('(?![x/])'))).toEqual(values(ALLOW).filter((value) => !/^[x/]/.test(value)));
      }),
      { numRuns: 10_000 },
    );
  });

  it('have all their values in a list, but for the empty ones', () => {
    fc.assert(
      fc.property(file, (text) => {
        const { text: whole } = new RobotsText(Buffer.from(text));
        const values = oracle(text).flatMap(([, field, value]) => (field === 'sitemap' ? [value] : []));
        expect(SITEMAP.values(whole)).toEqual(values.filter((value) => value !== ''));
      }),
      { numRuns: 10_000 },
    );
  });

  it('are found in sections as they are in the whole, all at once or a few at a time', () => {
    const line = fc.record({ text: fc.constantFrom('allow:/', 'sitemap:/'), isWithin: fc.boolean() });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.integer({ min: 1, max: 4 }), (lines, most) => {
        const text = lines.map((line) => `${line.text}\n`).join('');
        const starts = lines.map((_, index) =>
          lines.slice(0, index).reduce((sum, { text }) => sum + text.length + 1, 0),
        );
        const sections = Uint32Array.from(
          lines.flatMap(({ text, isWithin }, index) => {
            const from = starts[index] ?? 0;
            return isWithin ? [from, from + text.length] : [];
          }),
        );
        const expected = lines.flatMap(({ text, isWithin }, index) =>
          isWithin && text === 'allow:/' ? [(starts[index] ?? 0) + 'allow:'.length] : [],
        );
        expect([...ALLOW.all(text, sections)]).toEqual(expected);
        expect(inPieces(text, sections, most)).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['user\ragent: x', 'crawl\0delay: 1', 'user\x0dagent: x', 'site\rmap: x', 'xllow: /', 'Xisallow: /'])(
    'have no such name as in %j, though a byte is all that is wrong',
    (text) => {
      expect(read(text)).toEqual([]);
    },
  );

  it('are found in a file of the shortest lines there are, each where it is', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => [index + 1, 'allow', '']);
    expect(read('allow:\n'.repeat(1_000))).toEqual(all);
    expect(read(`${'allow:\n'.repeat(999)}allow:`)).toEqual(all);
  });
});

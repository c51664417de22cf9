import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Glance } from './glance.ts';
import { matchesPattern } from './path-pattern.ts';
import { escapePattern, pathOfUrl } from './robots-path.ts';

const LENGTH_OF_ALL = 1_000;

/** Which of `rules` a glance lets pass, each written before `end`. */
const passing = (rules: readonly string[], path: string, { end = '\n', length = 0 } = {}) => {
  const lines = rules.map((rule) => `<${rule}${end}`);
  const bytes = Buffer.from(lines.join(''), 'latin1');
  const places = Uint32Array.from(lines, (_, index) => lines.slice(0, index).join('').length + 1);
  const glance = new Glance(path);
  const passing: string[] = [];
  for (let index = 0; (index = glance.next(bytes, places, index, length)) < rules.length; index++) {
    passing.push(rules[index] ?? '');
  }
  return passing;
};
const passes = (rule: string, path: string) => passing([rule], path).length > 0;

const word = (...units: string[]) => fc.string({ unit: fc.constantFrom(...units), maxLength: 8 });
const both = ['a', 'b', 'B', '/', '*', '$', '-', '%C3', '\x7f', '\x03', ' ', '\r'];
const rule = word(...both, '%c3', '\xc3').map((rest) => `/${rest}`.trimEnd());
const path = word(...both, '\xc3', '\u0100', '\n').map((rest) => pathOfUrl(`/${rest}`));

describe('a glance', () => {
  it('never misses a rule that matches and is longer than asked for', () => {
    const ends = fc.constantFrom('\n', '\r\n', ' \n', '\t\r\n', '# -a\n', ' # -a\n');
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 5 }), path, ends, fc.nat({ max: 6 }), (rules, path, end, length) => {
        const pass = passing(rules, path, { end, length });
        const matching = rules.filter((rule) => {
          const pattern = escapePattern(rule);
          return pattern.length > length && matchesPattern(pattern, path);
        });
        expect(pass.filter((rule) => matching.includes(rule))).toEqual(matching);
      }),
      { numRuns: 20_000 },
    );
  });

  it('never misses the last rule of a text without an end of line', () => {
    fc.assert(
      fc.property(rule, path, (rule, path) => {
        if (matchesPattern(escapePattern(rule), path)) expect(passing([rule], path, { end: '' })).toEqual([rule]);
      }),
      { numRuns: 5_000 },
    );
  });

  it('lets no rule pass that cannot be as long', () => {
    expect(passing(['/', '/a', '/ab', '/*', '/*b', '/\xc3', '/*\xc3'], '/ab', { length: LENGTH_OF_ALL })).toEqual([]);
    expect(passing(['/', '/a', '/ab', '/abc'], '/abcd', { length: 2 })).toEqual(['/ab', '/abc']);
    expect(passing(['/*', '/*b', '/*ab', '/*a*b'], '/abcd', { length: 3 })).toEqual(['/*ab', '/*a*b']);
    expect(passing(['/%C3', '/\xc3', '/*\xc3', '/*'], '/%C3', { length: 3 })).toEqual(['/%C3', '/\xc3', '/*\xc3']);
    expect(passing(['/%C3', '/\xc3', '/*\xc3', '/*'], '/%C3', { length: 4 })).toEqual(['/*\xc3']);
    expect(passing(['/*\xc3'], '/%C3', { length: 5 })).toEqual([]);
    expect(passing(['/ab$'], '/ab', { length: 3 })).toEqual(['/ab$']);
    expect(passing(['/ab$'], '/ab', { length: 4 })).toEqual([]);
    expect(passing(['/*\x7f'], '/\x7f', { length: 3 })).toEqual([]);
  });

  it('knows a rule with a blank by its beginning', () => {
    expect(passes('/a b', '/a')).toBe(true);
    expect(passes('/a b', '/a b')).toBe(true);
    expect(passes('/a b', '/b')).toBe(false);
    expect(passes('/*a b', '/a b')).toBe(true);
    expect(passes('/*a c', '/a b')).toBe(false);
  });

  // What a glance lets pass costs a search through the path, so that it must not let everything pass.
  it.each([
    ['/b', '/a'],
    ['/ab', '/a'],
    ['/a$', '/ab'],
    ['/a$b', '/ab'],
    ['/\xc3', '/a'],
    ['/\xc3b', '/%C3a'],
    ['/\xc3*ab', '/%C3ba'],
    ['/*b', '/aaa'],
    ['/*aab', '/aaaa'],
    ['/*ab', '/ba'],
    ['/*a*b', '/aaa'],
    ['/*\xc3b', '/a%C3'],
    ['/a$*ab', '/a$ba'],
    ['/*b$', '/a'],
    ['/*bbaa', '/ababababaabb'],
    ['/*bb*ab', '/ababababaabb'],
    ['/*a*b*a', '/aabb'],
    ['/*ab*ba', '/aba'],
    ['/*ab*b', '/xab'],
    ['/ab*b', '/ab'],
    ['/*\x7f', '/a'],
  ])('sees that %j cannot match %j', (rule, path) => {
    expect(passes(rule, path)).toBe(false);
  });

  it.each([
    ['/a', '/a'],
    ['/a', '/ab'],
    ['/a$', '/a'],
    ['/a$', '/a$'],
    ['/a$b', '/a$b'],
    ['/*ab', '/xaby'],
    ['/*a*b', '/ab'],
    ['/*ab*ba', '/abba'],
    ['/%c3', '/%C3'],
    ['/*%c3', '/a%C3'],
    ['/*a\xc3b', '/a%C3b'],
    ['/*a$', '/ba'],
    ['/a*', '/a*'],
    ['*', '/'],
  ])('lets %j pass for %j', (rule, path) => {
    expect(passes(rule, path)).toBe(true);
  });
});

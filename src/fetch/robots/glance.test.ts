import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Glance } from './glance.ts';
import { matchesPattern } from './path-pattern.ts';
import { escapePattern, pathOfUrl } from './robots-path.ts';

const misses = (rule: string, path: string) => {
  const bytes = Buffer.from(`<${rule}>`, 'latin1');
  return new Glance(path).misses(bytes, 1, bytes.length - 1);
};

describe('a glance', () => {
  it('never misses a rule that matches', () => {
    const word = (...units: string[]) => fc.string({ unit: fc.constantFrom(...units), maxLength: 8 });
    fc.assert(
      fc.property(
        word('a', 'b', 'B', '/', '*', '$', '%c3', '%C3', '\xc3', '\x7f'),
        word('a', 'b', 'B', '/', '$', '%C3', '\x7f'),
        (rule, end) => {
          const path = pathOfUrl(`/${end}`);
          const pattern = `/${rule}`;
          if (matchesPattern(escapePattern(pattern), path)) expect(misses(pattern, path)).toBe(false);
        },
      ),
      { numRuns: 20_000 },
    );
  });

  // What a glance lets pass costs a search through the path, so that it must not let everything pass.
  it.each([
    ['/b', '/a'],
    ['/ab', '/a'],
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
    ['/*\x7f', '/a'],
  ])('sees that %j cannot match %j', (rule, path) => {
    expect(misses(rule, path)).toBe(true);
  });

  it.each([
    ['/a', '/a'],
    ['/a', '/ab'],
    ['/a$', '/a'],
    ['/a$', '/ab'],
    ['/*ab', '/xaby'],
    ['/*a*b', '/ab'],
    ['/*ab*ba', '/aba'],
    ['/%c3', '/%C3'],
    ['/*%c3', '/a%C3'],
    ['/*a\xc3b', '/a%C3b'],
    ['/*a$', '/ba'],
    ['*', '/'],
  ])('lets %j pass for %j', (rule, path) => {
    expect(misses(rule, path)).toBe(false);
  });
});

import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { matchesPattern } from './path-pattern.ts';

/** The definition, tried out in full: exponential, so only for small words. */
function oracle(pattern: string, path: string): boolean {
  if (pattern === '') return true;
  if (pattern === '$') return path === '';
  if (pattern.startsWith('*')) {
    return Array.from({ length: path.length + 1 }, (_, skipped) => path.slice(skipped)).some((rest) =>
      oracle(pattern.slice(1), rest),
    );
  }
  return path.startsWith(pattern.charAt(0)) && oracle(pattern.slice(1), path.slice(1));
}

describe('a path pattern', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ['/fish', '/fish.html', true],
    ['/fish', '/catfish', false],
    ['/*.php', '/a/b.php?c', true],
    ['/*.php$', '/a.php5', false],
    ['/*.php$', '/a.php/b.php', true],
    ['/a*$', '/abc', true],
    ['/ab*b$', '/ab', false],
    ['/a$b', '/a$b', true],
    ['/a$*', '/a$', true],
    ['$', '/', false],
    ['*', '/', true],
    ['**$', '/', true],
  ])('%s on %s: %s', (pattern, path, expected) => {
    expect(matchesPattern(pattern, path)).toBe(expected);
  });

  it('matches exactly what its definition says', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '/', '*', '$'), maxLength: 8 });
    const path = fc.string({ unit: fc.constantFrom('a', 'b', '/', '$'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, path, (pattern, path) => {
        expect(matchesPattern(pattern, path)).toBe(oracle(pattern, path));
      }),
      { numRuns: 5_000 },
    );
  });

  it('looks for each literal once, so that fifty stars on a long path cost fifty searches', () => {
    const path = `/${'a'.repeat(10_000)}`;
    const searches = vi.spyOn(String.prototype, 'indexOf');
    const matched = matchesPattern(`/${'*a'.repeat(50)}*b`, path);
    const count = searches.mock.contexts.filter((searched) => String(searched) === path).length;
    expect(matched).toBe(false);
    expect(count).toBe(50);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Alphabet } from './alphabet.ts';
import { matchesPattern } from './path-pattern.ts';
import { escapePattern, pathOfUrl } from './robots-path.ts';

/** Can a whole rule that is longer than `length` be made of the characters that `alphabet` has? */
const mayMatch = (alphabet: Alphabet, rule: string, length?: number) =>
  new RegExp(`^${alphabet.values(length)}$`, 'i').test(rule);

const path = fc.string({
  unit: fc.constantFrom('a', 'B', '/', '*', '$', '-', ']', '\\', '^', '%c3', '%', '\u00e9', ' '),
});

describe('the alphabet of paths', () => {
  it('has what every rule needs that matches one of them', () => {
    const rule = fc.string({
      unit: fc.constantFrom('a', 'b', 'B', '/', '*', '$', '-', ']', '\\', '^', '%C3', '\xc3', ' '),
    });
    fc.assert(
      fc.property(fc.array(path, { minLength: 1, maxLength: 3 }), rule, (paths, rest) => {
        const [first = '/', ...others] = paths.map(pathOfUrl);
        const alphabet = others.reduce((all, path) => all.with(path), new Alphabet(first));
        for (const path of [first, ...others]) {
          const pattern = escapePattern(`/${rest}`);
          if (!matchesPattern(pattern, path)) continue;
          expect(mayMatch(alphabet, `/${rest}`)).toBe(true);
          expect(mayMatch(alphabet, `/${rest}`, pattern.length - 1)).toBe(true);
        }
      }),
      { numRuns: 20_000 },
    );
  });

  it('covers the paths it is made of, and those with no other characters', () => {
    fc.assert(
      fc.property(path, path, (one, other) => {
        const alphabet = new Alphabet(one);
        expect(alphabet.covers(one)).toBe(true);
        expect(alphabet.covers(other)).toBe([...other].every((char) => char > '\x7f' || one.includes(char)));
        expect(alphabet.with(other).covers(one + other)).toBe(true);
      }),
    );
  });

  it.each(['/b', '/*b', '/ab', '/a#', '/a\n', '/a%', '/\xe9', '/a]', '/a\0'])(
    'rules out %j for a path of /aA',
    (rule) => {
      expect(mayMatch(new Alphabet('/aA'), rule)).toBe(false);
    },
  );

  it.each([
    ['/aa', '/aa'],
    ['/%C3', '/\xc3\xc3'],
  ])('for a path of %j rules out values that cannot be longer than %j', (path, longest) => {
    const length = escapePattern(longest).length;
    expect(mayMatch(new Alphabet(path), longest, length - 1)).toBe(true);
    expect(mayMatch(new Alphabet(path), longest.slice(1), length)).toBe(false);
  });

  it.each(['\x80', '\xff'])('has the byte %j where a path has an escape', (byte) => {
    expect(mayMatch(new Alphabet('/%C3'), `/${byte}`)).toBe(true);
  });
});

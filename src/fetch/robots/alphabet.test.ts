import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Alphabet } from './alphabet.ts';
import { matchesPattern } from './path-pattern.ts';
import { escapePattern, pathOfUrl } from './robots-path.ts';

/** Can a whole rule be made of the characters that `alphabet` has? */
const mayMatch = (alphabet: Alphabet, rule: string) => new RegExp(`^${alphabet.values}$`, 'i').test(rule);

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
          if (matchesPattern(escapePattern(`/${rest}`), path)) expect(mayMatch(alphabet, `/${rest}`)).toBe(true);
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

  it.each(['\x80', '\xff'])('has the byte %j where a path has an escape', (byte) => {
    expect(mayMatch(new Alphabet('/%C3'), `/${byte}`)).toBe(true);
  });
});

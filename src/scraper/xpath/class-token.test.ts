import { Element } from 'domhandler';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileClassToken } from './class-token.ts';
import { parse } from './parser.ts';
import { normalizeSpace } from './string-functions.ts';

const text = fc
  .array(fc.constantFrom('a', 'b', 'ab', 'aa', ' ', '\t', '\n', '\u00a0'), { maxLength: 8 })
  .map((parts) => parts.join(''));
const word = fc.constantFrom('a', 'b', 'ab', 'aa', 'aba', '\u00a0');

describe('The test for a class', () => {
  it('gives what the functions it stands for give', () => {
    fc.assert(
      fc.property(fc.option(text, { nil: undefined }), word, (value, token) => {
        const test = compileClassToken(parse(`contains(concat(' ', normalize-space(@class), ' '), ' ${token} ')`));
        const element = new Element('p', value === undefined ? {} : { class: value });
        expect(test?.(element)).toBe(` ${normalizeSpace(value ?? '')} `.includes(` ${token} `));
      }),
    );
  });

  it.each([
    "contains(concat(' ', @class, ' '), ' x ')",
    "contains(concat(' ', normalize-space(@class), ' '), 'x')",
    "contains(concat(' ', normalize-space(@class), ' '), ' x y ')",
    "contains(concat(' ', normalize-space(@class), ' '), '  ')",
    "contains(concat(' ', normalize-space(@class), ' ', ''), ' x ')",
    "contains(concat('', normalize-space(@class), ' '), ' x ')",
    "contains(concat(' ', normalize-space(p/@class), ' '), ' x ')",
    "contains(concat(' ', normalize-space(@class[1]), ' '), ' x ')",
    "contains(concat(' ', normalize-space(), ' '), ' x ')",
    "starts-with(concat(' ', normalize-space(@class), ' '), ' x ')",
  ])('does not stand for %s', (expression) => {
    expect(compileClassToken(parse(expression))).toBeUndefined();
  });
});

// `re:test` of EXSLT with JavaScript's regular expressions. The flag `i` ignores case; `g` means nothing for a test.
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';

/** A function that tells whether the pattern occurs in a text. It keeps the last pattern, which is nearly always a literal. */
export function regexTester(): (text: string, pattern: string, flags: string) => boolean {
  let last = { pattern: '', flags: '', regex: /(?:)/ };
  return (text, pattern, flags) => {
    if (last.pattern !== pattern || last.flags !== flags) last = { pattern, flags, regex: toRegExp(pattern, flags) };
    return last.regex.test(text);
  };
}

function toRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags.includes('i') ? 'i' : '');
  } catch (cause) {
    throw new CurlewError(ErrorCode.selectorSyntax, `The pattern of re:test is wrong: ${messageOf(cause)}`, {
      remedy: 'Correct the pattern; it is a regular expression of JavaScript, not of Python.',
      cause,
    });
  }
}

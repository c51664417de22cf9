// The one error for a wrong expression: it shows the expression with a caret under the place, and says what was expected.
import { CurlewError, ErrorCode } from '../../platform/errors.ts';

/** An error about the expression at index `at`; `problem` completes "XPath …: ". */
export function syntaxError(expression: string, at: number, problem: string): CurlewError {
  const lineStart = expression.lastIndexOf('\n', at - 1) + 1;
  const line = expression.slice(lineStart).split('\n', 1)[0] ?? '';
  const caret = `${' '.repeat(at - lineStart)}^`;
  return new CurlewError(
    ErrorCode.selectorSyntax,
    `XPath ${JSON.stringify(expression)} is wrong at position ${at}: ${problem}\n  ${line}\n  ${caret}`,
    { remedy: 'Correct the expression at the caret; the language is XPath 1.0.' },
  );
}

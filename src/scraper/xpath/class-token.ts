// The idiom for a CSS class, `contains(concat(' ', normalize-space(@class), ' '), ' word ')`, asks whether `word` is one of
// the words of the attribute. Answered by a search that makes no strings; exactly equivalent, for any attribute.
import type { Expression } from './ast.ts';
import type { Test } from './tree-walk.ts';
import { attributeValue } from './xpath-node.ts';

const WORD = /^ ([^ \t\r\n]+) $/;

/** The test, if the expression is this idiom. */
export function compileClassToken(expression: Expression): Test | undefined {
  const [haystack, needle] = argumentsOf('contains', expression);
  const [before, middle, after, ...more] = argumentsOf('concat', haystack);
  const word = needle?.kind === 'literal' ? WORD.exec(needle.value)?.[1] : undefined;
  const name = attributeName(argumentsOf('normalize-space', middle)[0]);
  if (word === undefined || name === undefined || !isSpace(before) || !isSpace(after) || more.length > 0)
    return undefined;
  return (node) => {
    const value = attributeValue(node, name);
    return value !== undefined && hasWord(value, word);
  };
}

/** Whether `word` stands in the text between white space or the ends. */
function hasWord(text: string, word: string): boolean {
  for (let index = text.indexOf(word); index !== -1; index = text.indexOf(word, index + 1)) {
    if (isBoundary(text, index - 1) && isBoundary(text, index + word.length)) return true;
  }
  return false;
}

function isBoundary(text: string, index: number): boolean {
  const character = text[index];
  return character === undefined || character === ' ' || character === '\n' || character === '\t' || character === '\r';
}

function argumentsOf(name: string, expression: Expression | undefined): readonly Expression[] {
  return expression?.kind === 'call' && expression.name === name ? expression.args : [];
}

function isSpace(expression: Expression | undefined): boolean {
  return expression?.kind === 'literal' && expression.value === ' ';
}

function attributeName(expression: Expression | undefined): string | undefined {
  if (expression?.kind !== 'path' || expression.from !== 'context') return undefined;
  const [step, ...more] = expression.steps;
  if (step?.axis !== 'attribute' || step.test.kind !== 'name' || step.predicates.length > 0) return undefined;
  return more.length === 0 ? step.test.name : undefined;
}

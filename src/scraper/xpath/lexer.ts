// Cuts an expression into the tokens of XPath 1.0 §3.7. Whether `*` multiplies and `and`, `or`, `mod`, `div` are operators
// is decided here, by the token before, so that the parser needs no context.
import { syntaxError } from './syntax-error.ts';

export type TokenKind =
  | 'literal'
  | 'number'
  | 'operator'
  | 'name'
  | 'node-type'
  | 'function'
  | 'axis'
  | 'symbol'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** As written; a literal without its quotes. */
  readonly text: string;
  readonly at: number;
}

const NAME_START =
  'A-Z_a-z\\xC0-\\xD6\\xD8-\\xF6\\xF8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F' +
  '\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}';
const NAME = `[${NAME_START}][${NAME_START}\\-.0-9\\xB7\\u0300-\\u036F\\u203F\\u2040]*`;
const TOKEN = new RegExp(
  [
    '(?<space>[ \\t\\r\\n]+)',
    '(?<literal>"[^"]*"|\'[^\']*\')',
    '(?<number>[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)',
    `(?<name>${NAME}(?::(?:${NAME}|\\*))?|\\*)`,
    '(?<operator>//|!=|<=|>=|[/|+\\-=<>])',
    '(?<symbol>::|\\.\\.|[()[\\].@,$])',
  ].join('|'),
  'uy',
);
const FOLLOWER = /[ \t\r\n]*(\(|::)?/y;
const NODE_TYPES = new Set(['comment', 'text', 'processing-instruction', 'node']);
const OPERATOR_NAMES = new Set(['and', 'or', 'mod', 'div', '*']);
const BEFORE_OPERAND = new Set(['@', '::', '(', '[', ',']);

/** All tokens of the expression, the last one of kind `end`. */
export function tokenize(expression: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < expression.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(expression)?.groups;
    if (groups === undefined) throw syntaxError(expression, at, unknownCharacter(expression, at));
    const { space, literal, number, name, operator, symbol } = groups;
    if (space !== undefined) continue;
    if (literal !== undefined) tokens.push({ kind: 'literal', text: literal.slice(1, -1), at });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, at });
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator, at });
    else if (symbol === '$') throw syntaxError(expression, at, 'variables are not supported, write the value instead');
    else if (symbol !== undefined) tokens.push({ kind: 'symbol', text: symbol, at });
    else if (name !== undefined) {
      if (operandMayStart(tokens.at(-1)))
        tokens.push({ kind: nameKind(expression, name, TOKEN.lastIndex), text: name, at });
      else if (OPERATOR_NAMES.has(name)) tokens.push({ kind: 'operator', text: name, at });
      else throw syntaxError(expression, at, `expected an operator or the end, found "${name}"`);
    }
  }
  tokens.push({ kind: 'end', text: '', at: expression.length });
  return tokens;
}

/** §3.7: after anything else, `*` multiplies and a name is an operator. */
function operandMayStart(before: Token | undefined): boolean {
  if (before === undefined || before.kind === 'operator') return true;
  return before.kind === 'symbol' && BEFORE_OPERAND.has(before.text);
}

/** §3.7: a name before `(` is a function or node type, before `::` an axis. */
function nameKind(expression: string, name: string, end: number): TokenKind {
  FOLLOWER.lastIndex = end;
  const follower = FOLLOWER.exec(expression)?.[1];
  if (follower === '::') return 'axis';
  if (follower === undefined || name.endsWith('*')) return 'name';
  return NODE_TYPES.has(name) ? 'node-type' : 'function';
}

function unknownCharacter(expression: string, at: number): string {
  const character = String.fromCodePoint(expression.codePointAt(at) ?? 0);
  if (character === '"' || character === "'") return `the string that begins here has no closing ${character}`;
  return `unexpected character "${character}"`;
}

// Recursive descent over the grammar of XPath 1.0 §2–3. Abbreviations are written out here (§2.5), so that the compiler
// knows only full steps.
import type { AxisName, BinaryOperator, Expression, NodeTest, Step } from './ast.ts';
import { type Token, type TokenKind, tokenize } from './lexer.ts';
import { syntaxError } from './syntax-error.ts';

const AXIS_NAMES: Record<AxisName, true> = {
  ancestor: true,
  'ancestor-or-self': true,
  attribute: true,
  child: true,
  descendant: true,
  'descendant-or-self': true,
  following: true,
  'following-sibling': true,
  namespace: true,
  parent: true,
  preceding: true,
  'preceding-sibling': true,
  self: true,
};

/** Operators from the loosest to the tightest; all associate to the left (§3.4, §3.5). */
const PRECEDENCE: readonly (readonly BinaryOperator[])[] = [
  ['or'],
  ['and'],
  ['=', '!='],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', 'div', 'mod'],
];

const ANY_NODE: NodeTest = { kind: 'node' };
const SELF: Step = { axis: 'self', test: ANY_NODE, predicates: [] };
const PARENT: Step = { axis: 'parent', test: ANY_NODE, predicates: [] };
const DESCENDANT_OR_SELF: Step = { axis: 'descendant-or-self', test: ANY_NODE, predicates: [] };

/** The syntax tree of an expression. Throws a CurlewError (`selector_syntax`) that shows where it is wrong. */
export function parse(expression: string): Expression {
  return new Parser(expression).parse();
}

class Parser {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #index = 0;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = tokenize(source);
    this.#end = { kind: 'end', text: '', at: source.length };
  }

  parse(): Expression {
    const expression = this.#binary(0);
    if (this.#next.kind !== 'end') throw this.#unexpected('an operator or the end');
    return expression;
  }

  get #next(): Token {
    return this.#tokens[this.#index] ?? this.#end;
  }

  #is(kind: TokenKind, text: string): boolean {
    return this.#next.kind === kind && this.#next.text === text;
  }

  /** Steps over the token if it is this one. */
  #accept(kind: TokenKind, text: string): boolean {
    if (!this.#is(kind, text)) return false;
    this.#index++;
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept('symbol', text)) throw this.#unexpected(`"${text}"`);
  }

  #take(): Token {
    const token = this.#next;
    this.#index++;
    return token;
  }

  #unexpected(expected: string): Error {
    const { kind, text, at } = this.#next;
    return syntaxError(this.#source, at, `expected ${expected}, found ${kind === 'end' ? 'the end' : `"${text}"`}`);
  }

  #binary(level: number): Expression {
    const operators = PRECEDENCE[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const { kind, text, at } = this.#next;
      const operator = kind === 'operator' ? operators.find((candidate) => candidate === text) : undefined;
      if (operator === undefined) return left;
      this.#index++;
      left = { kind: 'binary', operator, left, right: this.#binary(level + 1), at };
    }
  }

  #unary(): Expression {
    const { at } = this.#next;
    return this.#accept('operator', '-') ? { kind: 'negate', operand: this.#unary(), at } : this.#union();
  }

  #union(): Expression {
    const { at } = this.#next;
    const first = this.#path();
    const operands = [first];
    while (this.#accept('operator', '|')) operands.push(this.#path());
    return operands.length === 1 ? first : { kind: 'union', operands, at };
  }

  /** PathExpr (§3.3): a location path, or a filter expression with an optional path after it. */
  #path(): Expression {
    const { at } = this.#next;
    const primary = this.#primary();
    if (primary === undefined) return this.#locationPath();
    const predicates = this.#predicates();
    const base: Expression = predicates.length === 0 ? primary : { kind: 'filter', base: primary, predicates, at };
    if (!this.#is('operator', '/') && !this.#is('operator', '//')) return base;
    return { kind: 'path', from: base, steps: this.#moreSteps(), at };
  }

  #primary(): Expression | undefined {
    const { kind, text, at } = this.#next;
    if (kind === 'literal') return { kind: 'literal', value: this.#take().text, at };
    if (kind === 'number') return { kind: 'number', value: Number(this.#take().text), at };
    if (kind === 'function') return { kind: 'call', name: this.#take().text, args: this.#arguments(), at };
    if (kind !== 'symbol' || text !== '(') return undefined;
    this.#index++;
    const inner = this.#binary(0);
    this.#expect(')');
    return inner;
  }

  #arguments(): readonly Expression[] {
    this.#expect('(');
    const args: Expression[] = [];
    if (this.#accept('symbol', ')')) return args;
    do args.push(this.#binary(0));
    while (this.#accept('symbol', ','));
    this.#expect(')');
    return args;
  }

  #locationPath(): Expression {
    const { at } = this.#next;
    if (this.#is('operator', '//')) return { kind: 'path', from: 'root', steps: this.#moreSteps(), at };
    if (this.#accept('operator', '/')) {
      const steps = this.#stepMayStart() ? [this.#step(), ...this.#moreSteps()] : [];
      return { kind: 'path', from: 'root', steps, at };
    }
    if (!this.#stepMayStart()) throw this.#unexpected('an expression');
    return { kind: 'path', from: 'context', steps: [this.#step(), ...this.#moreSteps()], at };
  }

  #moreSteps(): readonly Step[] {
    const steps: Step[] = [];
    for (;;) {
      if (this.#accept('operator', '//')) steps.push(DESCENDANT_OR_SELF);
      else if (!this.#accept('operator', '/')) return steps;
      if (!this.#stepMayStart()) throw this.#unexpected('a step');
      steps.push(this.#step());
    }
  }

  #stepMayStart(): boolean {
    const { kind, text } = this.#next;
    if (kind === 'symbol') return text === '.' || text === '..' || text === '@';
    return kind === 'name' || kind === 'axis' || kind === 'node-type';
  }

  #step(): Step {
    if (this.#accept('symbol', '.')) return SELF;
    if (this.#accept('symbol', '..')) return PARENT;
    return { axis: this.#axis(), test: this.#nodeTest(), predicates: this.#predicates() };
  }

  #axis(): AxisName {
    if (this.#accept('symbol', '@')) return 'attribute';
    if (this.#next.kind !== 'axis') return 'child';
    const { text, at } = this.#take();
    if (!isAxisName(text)) {
      throw syntaxError(this.#source, at, `there is no axis "${text}", only ${Object.keys(AXIS_NAMES).join(', ')}`);
    }
    this.#expect('::');
    return text;
  }

  #nodeTest(): NodeTest {
    const { kind, text } = this.#next;
    if (kind === 'node-type') return this.#nodeTypeTest();
    if (kind !== 'name') throw this.#unexpected('a name, "*" or a node test such as text()');
    this.#index++;
    if (text === '*') return { kind: 'any-name' };
    return text.endsWith(':*') ? { kind: 'prefix', prefix: text.slice(0, -1) } : { kind: 'name', name: text };
  }

  #nodeTypeTest(): NodeTest {
    const type = this.#take().text;
    this.#expect('(');
    const target = type === 'processing-instruction' && this.#next.kind === 'literal' ? this.#take().text : undefined;
    this.#expect(')');
    if (type === 'processing-instruction') return target === undefined ? { kind: type } : { kind: type, target };
    return { kind: type === 'text' || type === 'comment' ? type : 'node' };
  }

  #predicates(): readonly Expression[] {
    const predicates: Expression[] = [];
    while (this.#accept('symbol', '[')) {
      predicates.push(this.#binary(0));
      this.#expect(']');
    }
    return predicates;
  }
}

function isAxisName(name: string): name is AxisName {
  return Object.hasOwn(AXIS_NAMES, name);
}

// From syntax tree to closures. Types are settled here: what is not a node-set where one is needed is an error in the
// expression, not in the page.
import { assertNever } from '../../platform/errors.ts';
import { Arguments } from './arguments.ts';
import type { Arithmetic, Expression } from './ast.ts';
import { compileClassToken } from './class-token.ts';
import { compileComparison } from './compare.ts';
import type { Compiled, CompiledNodes, Evaluate } from './compiled.ts';
import { toBooleanExpression, toNumberExpression } from './convert.ts';
import { inDocumentOrder } from './document-order.ts';
import { FUNCTIONS } from './functions.ts';
import { compileNodeList } from './node-list.ts';
import { parse } from './parser.ts';
import { compileMergedPaths, compilePath, type PathStep } from './path.ts';
import { applyPredicates, compilePredicate, type Predicate } from './predicate.ts';
import { syntaxError } from './syntax-error.ts';
import type { XPathNode } from './xpath-node.ts';

type Source<K extends Expression['kind']> = Extract<Expression, { kind: K }>;

const ARITHMETIC: Record<Arithmetic, (left: number, right: number) => number> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  div: (left, right) => left / right,
  // §3.5: the remainder has the sign of the dividend, as in JavaScript.
  mod: (left, right) => left % right,
};

/** The compiled form of an expression. Throws a CurlewError (`selector_syntax`) if it is wrong. */
export function compileExpression(text: string): Compiled {
  return new Compiler(text).compile(parse(text));
}

class Compiler {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  compile(source: Expression): Compiled {
    switch (source.kind) {
      case 'literal':
        return { kind: 'string', evaluate: () => source.value, positional: false };
      case 'number':
        return { kind: 'number', evaluate: () => source.value, positional: false };
      case 'negate': {
        const operand = this.compile(source.operand);
        const value = toNumberExpression(operand);
        const evaluate: Evaluate<number> = (node, position, size) => -value(node, position, size);
        return { kind: 'number', evaluate, positional: operand.positional };
      }
      case 'binary':
        return this.#binary(source);
      case 'call':
        return this.#call(source);
      case 'union':
        return this.#union(source);
      case 'filter':
        return this.#filter(source);
      case 'path':
        return compilePath(
          typeof source.from === 'string' ? source.from : this.#nodes(source.from, 'a path'),
          this.#steps(source),
        );
      default:
        return assertNever(source);
    }
  }

  #binary({ operator, left: leftSource, right: rightSource }: Source<'binary'>): Compiled {
    const left = this.compile(leftSource);
    const right = this.compile(rightSource);
    const positional = left.positional || right.positional;
    switch (operator) {
      case 'or':
      case 'and': {
        const [a, b] = [toBooleanExpression(left), toBooleanExpression(right)];
        const evaluate: Evaluate<boolean> =
          operator === 'or'
            ? (node, position, size) => a(node, position, size) || b(node, position, size)
            : (node, position, size) => a(node, position, size) && b(node, position, size);
        return { kind: 'boolean', evaluate, positional };
      }
      case '+':
      case '-':
      case '*':
      case 'div':
      case 'mod': {
        const [a, b, combine] = [toNumberExpression(left), toNumberExpression(right), ARITHMETIC[operator]];
        const evaluate: Evaluate<number> = (node, position, size) =>
          combine(a(node, position, size), b(node, position, size));
        return { kind: 'number', evaluate, positional };
      }
      default:
        return { kind: 'boolean', evaluate: compileComparison(operator, left, right), positional };
    }
  }

  #call(source: Source<'call'>): Compiled {
    const { name, args: sources, at } = source;
    const classToken = compileClassToken(source);
    if (classToken !== undefined) return { kind: 'boolean', evaluate: classToken, positional: false };
    const known = FUNCTIONS.get(name);
    if (known === undefined) throw syntaxError(this.#text, at, `there is no function ${name}()`);
    const [least, most] = known.arity;
    if (sources.length < least || sources.length > most) {
      const range =
        least === most ? `${least}` : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} or ${most}`;
      throw syntaxError(this.#text, at, `${name}() takes ${range} arguments, found ${sources.length}`);
    }
    const args = sources.map((argument) => this.compile(argument));
    if (args.length === 0 && known.contextByDefault) args.push(compilePath('context', []));
    const compiled = known.compile(
      new Arguments(args, (index, problem) => syntaxError(this.#text, sources[index]?.at ?? at, problem)),
    );
    return { ...compiled, positional: compiled.positional || args.some(({ positional }) => positional) };
  }

  #union({ operands }: Source<'union'>): CompiledNodes {
    const merged = this.#mergedPaths(operands);
    if (merged !== undefined) return merged;
    const sets = operands.map((operand) => this.#nodes(operand, '"|"'));
    const positional = sets.some((set) => set.positional);
    const evaluate: Evaluate<XPathNode[]> = (node, position, size) =>
      inDocumentOrder(sets.flatMap((set) => set.evaluate(node, position, size)));
    return {
      ...compileNodeList(evaluate, positional),
      find(visit, node, position, size) {
        for (const set of sets) {
          const found = set.find(visit, node, position, size);
          if (found !== undefined) return found;
        }
        return undefined;
      },
    };
  }

  #mergedPaths(operands: readonly Expression[]): CompiledNodes | undefined {
    const paths = operands.filter((operand) => operand.kind === 'path');
    const from = paths[0]?.from;
    if (typeof from !== 'string' || paths.length < operands.length || paths.some((path) => path.from !== from))
      return undefined;
    return compileMergedPaths(
      from,
      paths.map((path) => this.#steps(path)),
    );
  }

  #filter({ base: baseSource, predicates: sources }: Source<'filter'>): CompiledNodes {
    const base = this.#nodes(baseSource, 'a predicate');
    const predicates = this.#predicates(sources);
    const [first, ...more] = predicates;
    if (first?.kind === 'index' && first.index === 1) {
      return compileNodeList((node, position, size) => {
        const found = base.first(node, position, size);
        return found === undefined ? [] : applyPredicates([found], more);
      }, base.positional);
    }
    return compileNodeList(
      (node, position, size) => applyPredicates(base.evaluate(node, position, size), predicates),
      base.positional,
    );
  }

  #steps({ steps }: Source<'path'>): readonly PathStep[] {
    return steps.map((step) => ({ ...step, predicates: this.#predicates(step.predicates) }));
  }

  #predicates(sources: readonly Expression[]): readonly Predicate[] {
    return sources.map((source) => compilePredicate(source, this.compile(source)));
  }

  #nodes(source: Expression, user: string): CompiledNodes {
    const compiled = this.compile(source);
    if (compiled.kind === 'nodes') return compiled;
    throw syntaxError(this.#text, source.at, `${user} needs nodes, found a ${compiled.kind}`);
  }
}

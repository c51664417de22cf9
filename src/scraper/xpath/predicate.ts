// Predicates (XPath 1.0 §2.4): which of a list of nodes, in proximity order, stay. Those that do not ask for the position
// are plain tests, which a walk can apply at once; that is what makes `//a[@href]` a single walk.
import { assertNever } from '../../platform/errors.ts';
import type { Expression } from './ast.ts';
import type { Compiled, Evaluate } from './compiled.ts';
import { toBooleanExpression } from './convert.ts';
import type { Test } from './tree-walk.ts';
import type { XPathNode } from './xpath-node.ts';

export type Predicate =
  | { readonly kind: 'test'; readonly test: Test }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'last' }
  | { readonly kind: 'positional'; readonly accepts: Evaluate<boolean> };

/** The predicate for an expression in brackets, given in both forms. */
export function compilePredicate(source: Expression, compiled: Compiled): Predicate {
  if (source.kind === 'number') return { kind: 'index', index: source.value };
  if (source.kind === 'call' && source.name === 'last') return { kind: 'last' };
  if (compiled.kind === 'number') {
    const { evaluate } = compiled;
    return { kind: 'positional', accepts: (node, position, size) => evaluate(node, position, size) === position };
  }
  const accepts = toBooleanExpression(compiled);
  return compiled.positional ? { kind: 'positional', accepts } : { kind: 'test', test: (node) => accepts(node, 1, 1) };
}

/** The nodes that pass all predicates, each predicate counting what the one before left. */
export function applyPredicates(nodes: XPathNode[], predicates: readonly Predicate[]): XPathNode[] {
  return predicates.reduce(applyPredicate, nodes);
}

function applyPredicate(nodes: XPathNode[], predicate: Predicate): XPathNode[] {
  switch (predicate.kind) {
    case 'test':
      return nodes.filter(predicate.test);
    case 'index':
      return one(nodes[predicate.index - 1]);
    case 'last':
      return one(nodes.at(-1));
    case 'positional':
      return nodes.filter((node, index) => predicate.accepts(node, index + 1, nodes.length));
    default:
      return assertNever(predicate);
  }
}

function one(node: XPathNode | undefined): XPathNode[] {
  return node === undefined ? [] : [node];
}

// XPath 1.0 on the tree of htmlparser2, compiled once and used on many pages. Complete; the differences that HTML makes are:
// no namespaces (a prefix is part of the name), `id` attributes are ids, `lang` counts for lang(). Also knows re:test().
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { compileExpression } from './compile.ts';
import type { Compiled } from './compiled.ts';
import type { XPathNode } from './xpath-node.ts';

export { stringValue } from './string-value.ts';
export type { XPathNode } from './xpath-node.ts';

/** What an expression gives. Nodes are in document order, none twice. */
export type XPathValue =
  | { readonly kind: 'nodes'; readonly nodes: readonly XPathNode[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean };

export interface CompiledXPath {
  readonly expression: string;
  /** The value for a context node, which is the first and only one (position() and last() are 1). */
  evaluate(node: XPathNode): XPathValue;
  /**
   * The selected nodes in document order, none twice.
   * Throws a CurlewError (`selector_syntax`) when the expression gives a string, number or boolean.
   */
  select(node: XPathNode): XPathNode[];
}

const CACHE_SIZE = 500;
const cache = new Map<string, CompiledXPath>();

/**
 * The compiled expression, from a cache of the 500 that were used last.
 * Throws a CurlewError (`selector_syntax`) that shows where the expression is wrong.
 */
export function compileXPath(expression: string): CompiledXPath {
  const known = cache.get(expression);
  const compiled = known ?? toXPath(expression, compileExpression(expression));
  // A Map keeps the order of insertion: what was used last goes to the end, what was not used for longest is first.
  if (known !== undefined) cache.delete(expression);
  cache.set(expression, compiled);
  const [oldest] = cache.size > CACHE_SIZE ? cache.keys() : [];
  if (oldest !== undefined) cache.delete(oldest);
  return compiled;
}

function toXPath(expression: string, compiled: Compiled): CompiledXPath {
  return {
    expression,
    evaluate(node) {
      if (compiled.kind === 'nodes') return { kind: 'nodes', nodes: compiled.evaluate(node, 1, 1) };
      if (compiled.kind === 'string') return { kind: 'string', value: compiled.evaluate(node, 1, 1) };
      if (compiled.kind === 'number') return { kind: 'number', value: compiled.evaluate(node, 1, 1) };
      return { kind: 'boolean', value: compiled.evaluate(node, 1, 1) };
    },
    select(node) {
      if (compiled.kind === 'nodes') return compiled.evaluate(node, 1, 1);
      throw new CurlewError(
        ErrorCode.selectorSyntax,
        `XPath ${JSON.stringify(expression)} gives a ${compiled.kind}, but nodes were asked for`,
        { remedy: 'Use an expression that selects nodes, such as //a or //a/@href.' },
      );
    },
  };
}

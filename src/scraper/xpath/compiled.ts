// What an expression becomes: a closure for each type of XPath 1.0 (§1). Without variables the type of every expression is
// known beforehand, so conversions are chosen once, when compiling, and never while evaluating.
import type { Visit } from './tree-walk.ts';
import type { XPathNode } from './xpath-node.ts';

/** A function of the context (§1): node, position and size. */
export type Evaluate<T> = (node: XPathNode, position: number, size: number) => T;

interface Dependence {
  /** True when the value depends on position() or last() of its context. */
  readonly positional: boolean;
}

interface CompiledString extends Dependence {
  readonly kind: 'string';
  readonly evaluate: Evaluate<string>;
}

interface CompiledNumber extends Dependence {
  readonly kind: 'number';
  readonly evaluate: Evaluate<number>;
}

interface CompiledBoolean extends Dependence {
  readonly kind: 'boolean';
  readonly evaluate: Evaluate<boolean>;
}

export interface CompiledNodes extends Dependence {
  readonly kind: 'nodes';
  /** All nodes in document order, none twice, in an array that the caller may keep. */
  readonly evaluate: Evaluate<XPathNode[]>;
  /** The first node in document order; stops there if it can. */
  readonly first: Evaluate<XPathNode | undefined>;
  /** Visits nodes, in any order, until one gives a result. */
  readonly find: (visit: Visit, node: XPathNode, position: number, size: number) => XPathNode | undefined;
  /** Set when the expression is just `@name`: its value can be read without making a node. */
  readonly attribute?: string;
  /** Set when the nodes can be counted without being visited. */
  readonly count?: Evaluate<number>;
}

export type Compiled = CompiledString | CompiledNumber | CompiledBoolean | CompiledNodes;

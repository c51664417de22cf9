// Node-sets that are always found whole, such as unions: a first or any node is taken from the list.
import type { CompiledNodes, Evaluate } from './compiled.ts';
import type { Visit } from './tree-walk.ts';
import type { XPathNode } from './xpath-node.ts';

/** An expression for the nodes that `evaluate` gives in document order, none twice. */
export function compileNodeList(evaluate: Evaluate<XPathNode[]>, positional: boolean): CompiledNodes {
  return {
    kind: 'nodes',
    positional,
    evaluate,
    find: (visit, node, position, size) => visitAll(evaluate(node, position, size), visit),
    first: (node, position, size) => evaluate(node, position, size)[0],
  };
}

/** Visits nodes of a list until one gives a result. */
export function visitAll(nodes: readonly XPathNode[], visit: Visit): XPathNode | undefined {
  for (const node of nodes) {
    const result = visit(node);
    if (result !== undefined) return result;
  }
  return undefined;
}

// Leaves out context nodes whose part of an axis another context covers, so that a step visits no node twice ("staircase
// join": Grust, van Keulen, Teubner 2003). Only right for steps that do not count positions. All contexts are in document
// order, and no node is climbed from twice: a hostile page may nest a hundred thousand deep.
import type { AxisName } from './ast.ts';
import { parentOf, type XPathNode } from './xpath-node.ts';

/** Some of the contexts: together they reach on the axis what all of them reach. */
export function pruneContexts(axis: AxisName, contexts: XPathNode[]): XPathNode[] {
  switch (axis) {
    case 'descendant':
    case 'descendant-or-self':
      return outermost(contexts);
    case 'following':
      return firstToEnd(contexts);
    case 'preceding':
      return contexts.slice(-1);
    case 'following-sibling':
      return onePerParent(contexts);
    case 'preceding-sibling':
      return onePerParent(contexts.toReversed()).reverse();
    default:
      return contexts;
  }
}

/** The nodes that lie below none of the others. Attributes stay, because no descendant axis leads to them. */
export function outermost(nodes: readonly XPathNode[]): XPathNode[] {
  const covered = new Map<XPathNode, boolean>();
  let before: { parent: XPathNode | null; inside: boolean } | undefined;
  return nodes.filter((node) => {
    if (node.type === 'attribute') return true;
    const { parent } = node;
    const inside = before?.parent === parent ? before.inside : isCovered(parent, covered);
    covered.set(node, true);
    before = { parent, inside };
    return !inside;
  });
}

/** Whether a node or one above it is covered; writes down the answer for all nodes on the way. */
function isCovered(start: XPathNode | null, covered: Map<XPathNode, boolean>): boolean {
  const climbed: XPathNode[] = [];
  let node = start;
  for (; node !== null && !covered.has(node); node = parentOf(node)) climbed.push(node);
  const answer = node !== null && covered.get(node) === true;
  for (const below of climbed) covered.set(below, answer);
  return answer;
}

/** The node that ends first: what follows it includes what follows all others. */
function firstToEnd(contexts: readonly XPathNode[]): XPathNode[] {
  const [outer, ...rest] = contexts;
  if (outer === undefined) return [];
  let first = outer;
  for (const node of rest) {
    if (!isInside(node, first)) break;
    first = node;
  }
  return [first];
}

function isInside(node: XPathNode, container: XPathNode): boolean {
  for (let ancestor = parentOf(node); ancestor !== null; ancestor = ancestor.parent) {
    if (ancestor === container) return true;
  }
  return false;
}

function onePerParent(contexts: readonly XPathNode[]): XPathNode[] {
  const parents = new Set<XPathNode | null>();
  return contexts.filter((node) => {
    const parent = parentOf(node);
    if (node.type === 'attribute' || parents.has(parent)) return false;
    parents.add(parent);
    return true;
  });
}

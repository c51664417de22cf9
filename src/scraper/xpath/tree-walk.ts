// Walks below a node in document order and backwards. Iterative, because a hostile page may nest a hundred thousand deep.
import type { AnyNode } from 'domhandler';
import { childrenOf, isElement, type XPathNode } from './xpath-node.ts';

export type Test = (node: XPathNode) => boolean;

/** Called for each node that passes the test. The walk ends with the first result that is not undefined. */
export type Visit = (node: XPathNode) => XPathNode | undefined;

/** The test that every node passes. */
export const always: Test = () => true;

/** The visit that stops at the first node. */
export const itself: Visit = (node) => node;

/** Visits the descendants of a node that pass the test, in document order. */
export function walkDescendants(node: XPathNode, test: Test, visit: Visit): XPathNode | undefined {
  const openLists: (readonly AnyNode[])[] = [];
  const openIndexes: number[] = [];
  let list = childrenOf(node);
  let index = 0;
  for (;;) {
    const next = index < list.length ? list[index++] : undefined;
    if (next === undefined) {
      const outer = openLists.pop();
      if (outer === undefined) return undefined;
      list = outer;
      index = openIndexes.pop() ?? 0;
      continue;
    }
    if (test(next)) {
      const result = visit(next);
      if (result !== undefined) return result;
    }
    if (isElement(next) && next.children.length > 0) {
      openLists.push(list);
      openIndexes.push(index);
      list = next.children;
      index = 0;
    }
  }
}

/** Visits, in document order, the children that `choose` picks in order for the node and for each descendant. */
export function walkChosenChildren(
  node: XPathNode,
  choose: (parent: XPathNode) => readonly XPathNode[],
  visit: Visit,
): XPathNode | undefined {
  const open = [{ children: childrenOf(node), index: 0, chosen: choose(node), nextChosen: 0 }];
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    const child = frame.children[frame.index++];
    if (child === undefined) {
      open.pop();
      continue;
    }
    if (child === frame.chosen[frame.nextChosen]) {
      frame.nextChosen++;
      const result = visit(child);
      if (result !== undefined) return result;
    }
    const children = childrenOf(child);
    if (children.length > 0) open.push({ children, index: 0, chosen: choose(child), nextChosen: 0 });
  }
  return undefined;
}

/** Visits a node and its descendants that pass the test, last one first: the node itself comes at the end. */
export function walkBackwards(top: AnyNode, test: Test, visit: Visit): XPathNode | undefined {
  let node = lastDescendant(top);
  for (;;) {
    if (test(node)) {
      const result = visit(node);
      if (result !== undefined) return result;
    }
    if (node === top) return undefined;
    if (node.prev !== null) node = lastDescendant(node.prev);
    else if (node.parent !== null) node = node.parent;
    else return undefined;
  }
}

function lastDescendant(node: AnyNode): AnyNode {
  let last = node;
  for (let child = childrenOf(last).at(-1); child !== undefined; child = childrenOf(last).at(-1)) last = child;
  return last;
}

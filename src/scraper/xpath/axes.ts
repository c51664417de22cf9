// The thirteen axes (XPath 1.0 §2.2). Each walks from one context node in proximity order: document order on forward axes,
// the nearest node first on reverse ones. The namespace axis is empty, because an HTML tree has no namespaces.
import type { AnyNode } from 'domhandler';
import type { AxisName } from './ast.ts';
import { walkSiblings } from './sibling-walk.ts';
import { type Test, type Visit, walkBackwards, walkDescendants } from './tree-walk.ts';
import { attributeNode, attributeValue, childrenOf, isElement, parentOf, type XPathNode } from './xpath-node.ts';

export type Walk = (node: XPathNode, test: Test, visit: Visit) => XPathNode | undefined;

export const AXES: Record<AxisName, Walk> = {
  self: (node, test, visit) => (test(node) ? visit(node) : undefined),

  child(node, test, visit) {
    for (const child of childrenOf(node)) {
      const result = test(child) ? visit(child) : undefined;
      if (result !== undefined) return result;
    }
    return undefined;
  },

  descendant: walkDescendants,

  'descendant-or-self': (node, test, visit) =>
    (test(node) ? visit(node) : undefined) ?? walkDescendants(node, test, visit),

  parent(node, test, visit) {
    const parent = parentOf(node);
    return parent !== null && test(parent) ? visit(parent) : undefined;
  },

  ancestor(node, test, visit) {
    for (let ancestor = parentOf(node); ancestor !== null; ancestor = ancestor.parent) {
      const result = test(ancestor) ? visit(ancestor) : undefined;
      if (result !== undefined) return result;
    }
    return undefined;
  },

  'ancestor-or-self': (node, test, visit) => (test(node) ? visit(node) : undefined) ?? AXES.ancestor(node, test, visit),

  'following-sibling': (node, test, visit) =>
    node.type === 'attribute' ? undefined : walkSiblings(node, 'next', test, visit),

  'preceding-sibling': (node, test, visit) =>
    node.type === 'attribute' ? undefined : walkSiblings(node, 'prev', test, visit),

  following(node, test, visit) {
    // What an attribute's owner contains comes after the attribute and is not its descendant (libxml2 leaves it out).
    if (node.type === 'attribute') {
      return walkDescendants(node.owner, test, visit) ?? AXES.following(node.owner, test, visit);
    }
    for (let top: AnyNode | null = node; top !== null; top = top.parent) {
      for (let sibling = top.next; sibling !== null; sibling = sibling.next) {
        const result = AXES['descendant-or-self'](sibling, test, visit);
        if (result !== undefined) return result;
      }
    }
    return undefined;
  },

  preceding(node, test, visit) {
    for (let top: AnyNode | null = node.type === 'attribute' ? node.owner : node; top !== null; top = top.parent) {
      for (let sibling = top.prev; sibling !== null; sibling = sibling.prev) {
        const result = walkBackwards(sibling, test, visit);
        if (result !== undefined) return result;
      }
    }
    return undefined;
  },

  attribute(node, test, visit) {
    if (!isElement(node)) return undefined;
    for (const [name, value] of Object.entries(node.attribs)) {
      const attribute = attributeNode(node, name, value);
      const result = test(attribute) ? visit(attribute) : undefined;
      if (result !== undefined) return result;
    }
    return undefined;
  },

  namespace: () => undefined,
};

/** The attribute axis with a name: looks the attribute up instead of trying all. */
export function attributeNamed(name: string): Walk {
  return (node, test, visit) => {
    const value = attributeValue(node, name);
    if (value === undefined || !isElement(node)) return undefined;
    const attribute = attributeNode(node, name, value);
    return test(attribute) ? visit(attribute) : undefined;
  };
}

export function isReverse(axis: AxisName): boolean {
  return axis.startsWith('ancestor') || axis.startsWith('preceding');
}

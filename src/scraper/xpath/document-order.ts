// Puts nodes into document order and drops duplicates (XPath 1.0 §5): an element, then its attributes, then its children.
// The tree carries no numbers, so the subtree that holds all the nodes is walked once, up to the last of them.
import type { Element } from 'domhandler';
import { always, walkDescendants } from './tree-walk.ts';
import { type AttributeNode, isElement, parentOf, type XPathNode } from './xpath-node.ts';

/** The same nodes of one tree, in document order, each once. */
export function inDocumentOrder(nodes: XPathNode[]): XPathNode[] {
  const first = nodes[0];
  if (first === undefined || nodes.length === 1) return nodes;
  const wanted = new Set<XPathNode>();
  const attributes = new Map<Element, AttributeNode[]>();
  for (const node of nodes) {
    if (node.type !== 'attribute') wanted.add(node);
    else if (attributes.get(node.owner)?.push(node) === undefined) attributes.set(node.owner, [node]);
  }
  const sorted: XPathNode[] = [];
  let missing = wanted.size + attributes.size;
  const collect = (node: XPathNode): XPathNode | undefined => {
    if (wanted.has(node)) {
      sorted.push(node);
      missing--;
    }
    const own = attributes.size > 0 && isElement(node) ? attributes.get(node) : undefined;
    if (own !== undefined) {
      for (const attribute of asWritten(own)) sorted.push(attribute);
      missing--;
    }
    return missing === 0 ? node : undefined;
  };
  const top = commonAncestor(first, nodes);
  if (collect(top) === undefined) walkDescendants(top, always, collect);
  return sorted;
}

/** Attributes of one element in the order of the page. Two objects with one name are the same attribute. */
function asWritten(attributes: readonly AttributeNode[]): AttributeNode[] {
  const byName = new Map(attributes.map((attribute) => [attribute.name, attribute]));
  return Object.keys(attributes[0]?.owner.attribs ?? {}).flatMap((name) => byName.get(name) ?? []);
}

/** The lowest element or root that is, or contains, all of the nodes. */
function commonAncestor(first: XPathNode, nodes: readonly XPathNode[]): XPathNode {
  const line: XPathNode[] = [];
  /** How far up the line of `first` a node meets it. */
  const height = new Map<XPathNode, number>();
  for (
    let node: XPathNode | null = first.type === 'attribute' ? first.owner : first;
    node !== null;
    node = node.parent
  ) {
    height.set(node, line.length);
    line.push(node);
  }
  let highest = 0;
  for (const start of nodes) {
    const climbed: XPathNode[] = [];
    let node: XPathNode | null = start;
    for (; node !== null && !height.has(node); node = parentOf(node)) climbed.push(node);
    const met = node === null ? line.length - 1 : (height.get(node) ?? 0);
    for (const below of climbed) height.set(below, met);
    highest = Math.max(highest, met);
  }
  return line[highest] ?? first;
}

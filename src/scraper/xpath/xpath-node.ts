// The XPath data model (XPath 1.0 §5) laid over the tree of domhandler, without copying it. Only attributes need a node of
// our own; the doctype is no node at all, and a CDATA section is a text node without children.
import type {
  AnyNode,
  CDATA as CDATANode,
  Document,
  Element,
  ProcessingInstruction,
  Text as TextNode,
} from 'domhandler';
import { ElementType } from 'htmlparser2';

const { CDATA, Directive, Root, Script, Style, Tag, Text } = ElementType;

/** An attribute as a node. Two objects are the same node when owner and name are the same. */
export interface AttributeNode {
  /** The discriminant that all node types of domhandler share. */
  readonly type: 'attribute';
  readonly owner: Element;
  readonly name: string;
  readonly value: string;
}

/** Anything that an expression can select. `node.type` tells which. */
export type XPathNode = AnyNode | AttributeNode;

const NO_CHILDREN: readonly AnyNode[] = [];

export function isElement(node: XPathNode): node is Element {
  const { type } = node;
  return type === Tag || type === Script || type === Style;
}

export function isText(node: XPathNode): node is TextNode | CDATANode {
  return node.type === Text || node.type === CDATA;
}

/** True for `<?target …?>`; the doctype, which domhandler keeps as the same kind of node, is none. */
export function isProcessingInstruction(node: XPathNode): node is ProcessingInstruction {
  return node.type === Directive && node.name.startsWith('?');
}

/** The children of a root or an element, which may include a doctype; nothing for all other nodes. */
export function childrenOf(node: XPathNode): readonly AnyNode[] {
  return isElement(node) || node.type === Root ? node.children : NO_CHILDREN;
}

/** The parent in the sense of XPath: an attribute's is the element that bears it. */
export function parentOf(node: XPathNode): Element | Document | CDATANode | null {
  return node.type === 'attribute' ? node.owner : node.parent;
}

/** The topmost ancestor: the document, or the top of a tree that was cut out of one. */
export function rootOf(node: XPathNode): XPathNode {
  let top = node;
  for (let parent = parentOf(top); parent !== null; parent = parent.parent) top = parent;
  return top;
}

/** The value of an element's attribute, or undefined. A name such as `constructor` never reads the prototype. */
export function attributeValue(node: XPathNode, name: string): string | undefined {
  if (!isElement(node)) return undefined;
  const value = node.attribs[name];
  return typeof value === 'string' ? value : undefined;
}

export function attributeNode(owner: Element, name: string, value: string): AttributeNode {
  return { type: 'attribute', owner, name, value };
}

/** The target of a processing instruction: `php` of `<?php …?>`. */
export function targetOf(node: ProcessingInstruction): string {
  return node.name.slice(1);
}

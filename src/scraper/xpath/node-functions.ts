// Functions about nodes (XPath 1.0 §4.1, §4.3) as they make sense for HTML: an id is the `id` attribute, the language stands
// in `xml:lang` or `lang`, and names have no namespace.
import { walkDescendants } from './tree-walk.ts';
import {
  attributeValue,
  isElement,
  isProcessingInstruction,
  parentOf,
  rootOf,
  targetOf,
  type XPathNode,
} from './xpath-node.ts';

/** The first element with each of the ids, which are separated by white space, in document order. */
export function elementsWithIds(node: XPathNode, ids: string): XPathNode[] {
  const missing = new Set(ids.split(/[ \t\r\n]+/).filter((id) => id !== ''));
  const found: XPathNode[] = [];
  if (missing.size === 0) return found;
  walkDescendants(rootOf(node), isElement, (element) => {
    const id = attributeValue(element, 'id');
    if (id !== undefined && missing.delete(id)) found.push(element);
    return missing.size === 0 ? element : undefined;
  });
  return found;
}

/** Whether the nearest language is this one or a variety of it, such as `en-GB` of `en`. */
export function isInLanguage(node: XPathNode, language: string): boolean {
  for (let holder: XPathNode | null = node; holder !== null; holder = parentOf(holder)) {
    const own = attributeValue(holder, 'xml:lang') ?? attributeValue(holder, 'lang');
    if (own !== undefined) return `${own.toLowerCase()}-`.startsWith(`${language.toLowerCase()}-`);
  }
  return false;
}

/** The name of an element, attribute or processing instruction; other nodes have none. */
export function nodeName(node: XPathNode): string {
  if (node.type === 'attribute' || isElement(node)) return node.name;
  return isProcessingInstruction(node) ? targetOf(node) : '';
}

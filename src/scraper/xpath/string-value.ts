// The string-value of each kind of node (XPath 1.0 §5).
import { walkDescendants } from './tree-walk.ts';
import { childrenOf, isProcessingInstruction, isText, targetOf, type XPathNode } from './xpath-node.ts';

/**
 * The string-value of a node: the concatenated text of an element or document, the value of an attribute, the content of
 * text, comment or processing instruction. White space is kept as it stands in the page.
 */
export function stringValue(node: XPathNode): string {
  if (node.type === 'attribute') return node.value;
  // htmlparser2 keeps `?target data?` as the data of a processing instruction.
  if (isProcessingInstruction(node)) return node.data.slice(1 + targetOf(node).length).replace(/^[ \t\r\n]+|\?$/g, '');
  if ('data' in node) return node.data;
  if (isText(node)) return node.children.map(stringValue).join('');
  const children = childrenOf(node);
  const only = children[0];
  if (children.length === 1 && only !== undefined && isText(only)) return stringValue(only);
  let text = '';
  walkDescendants(node, isText, (part) => {
    text += stringValue(part);
    return undefined;
  });
  return text;
}

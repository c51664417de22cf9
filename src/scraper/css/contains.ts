// `:contains(text)` and `:icontains(text)` of jQuery: whether the text of an element contains another. A heavy query looks
// for it once in the text of the whole page and marks the elements around each place.

import type { AnyNode, Element } from 'domhandler';
import { stringValue } from '../xpath/string-value.ts';
import { walkDescendants } from '../xpath/tree-walk.ts';
import { isElement, isText, type XPathNode } from '../xpath/xpath-node.ts';
import { type Find, MarkedAncestors } from './marked-ancestors.ts';
import type { Matcher } from './matcher.ts';
import type { QueryEffort } from './query-effort.ts';

export function contains(part: string, ignoreCase: boolean, effort: QueryEffort): Matcher {
  const wanted = ignoreCase ? part.toLowerCase() : part;
  const read = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const marked = new MarkedAncestors(effort, finderOf(wanted, read));
  return (element) => {
    if (effort.isHeavy) return marked.has(element);
    let text = '';
    readPieces(element, (piece) => {
      effort.steps++;
      text += read(piece);
    });
    return text.includes(wanted);
  };
}

function finderOf(wanted: string, read: (text: string) => string): Find {
  return (top, mark) => {
    // The text, and where each piece of it begins; the end is the beginning of one more.
    let text = '';
    const begins: number[] = [];
    const around: AnyNode[] = [];
    readPieces(top, (piece, element) => {
      begins.push(text.length);
      around.push(element);
      text += read(piece);
    });
    begins.push(text.length);
    let first = 0;
    for (let at = text.indexOf(wanted); at !== -1 && first < around.length; ) {
      const end = at + wanted.length;
      while ((begins[first + 1] ?? end) <= at) first++;
      let last = first;
      while ((begins[last + 1] ?? end) < end) last++;
      const common = commonElement(around[first], around[last]);
      if (common !== undefined) mark(common);
      // A second place in the same piece tells nothing new; the next that may is one that reaches beyond it.
      const beyond = last > first ? at + 1 : (begins[first + 1] ?? end) - wanted.length + 1;
      at = text.indexOf(wanted, beyond);
    }
  };
}

/** The pieces of an element's text, each with the element around it. A line break is a piece too. */
function readPieces(top: AnyNode, visit: (text: string, around: AnyNode) => void): void {
  if (isLineBreak(top)) visit('\n', top);
  walkDescendants(top, isPiece, (node) => {
    if (node.type === 'attribute') return undefined;
    if (isText(node)) visit(stringValue(node), node.parent ?? top);
    else visit('\n', node);
    return undefined;
  });
}

function isPiece(node: XPathNode): boolean {
  return isText(node) || isLineBreak(node);
}

function isLineBreak(node: XPathNode): boolean {
  return isElement(node) && node.name === 'br';
}

/** The innermost element around both. */
function commonElement(one: AnyNode | undefined, other: AnyNode | undefined): Element | undefined {
  if (one === undefined || other === undefined) return undefined;
  const line = new Set<AnyNode>();
  for (let node: AnyNode | null = one; node !== null && one !== other; node = node.parent) line.add(node);
  let common: AnyNode | null = other;
  while (common !== null && common !== one && !line.has(common)) common = common.parent;
  return common !== null && isElement(common) ? common : undefined;
}

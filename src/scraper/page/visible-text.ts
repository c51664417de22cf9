// The text of an element as a browser shows it, roughly what innerText gives: hidden content is left out, line breaks and
// the edges of blocks separate words, inline elements do not. In XML nothing is hidden and no element is a block.
// The element that is asked is always read, even a script; only what lies below it can be hidden. Iterative.

import type { AnyNode, ParentNode } from 'domhandler';
import { ElementType } from 'htmlparser2';
import { isElement } from '../xpath/xpath-node.ts';
import { normaliseText } from './normalise-text.ts';

const { CDATA, Text } = ElementType;

/** Never shown as text (HTML standard §15.3.1), or shown only where scripts or media do not work. */
const HIDDEN = new Set(
  'audio canvas datalist head iframe noembed noframes noscript rp script style template title video'.split(' '),
);

/** What separates an element's text from its surroundings: a line break, or a space for the cells of a row. */
const SEPARATORS: ReadonlyMap<string, '\n' | ' '> = new Map([
  ...(
    'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption ' +
    'figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup ' +
    'option p plaintext pre search section select summary table tbody textarea tfoot thead tr ul xmp'
  )
    .split(' ')
    .map((name) => [name, '\n'] as const),
  ['td', ' '],
  ['th', ' '],
]);

/** Elements whose line ends are shown. */
const PREFORMATTED = new Set(['listing', 'plaintext', 'pre', 'textarea', 'xmp']);

const DISPLAY_NONE = /(?:^|;)\s*display\s*:\s*none\b/i;

/** The visible text below `top` on one line, normalised. */
export function visibleText(top: ParentNode, xml: boolean): string {
  const only = top.children[0];
  // By far the most frequent case.
  if (top.children.length === 1 && only?.type === Text) return normaliseText(only.data);
  return normaliseText(collect(top, xml, false));
}

/** The visible lines below `top`, each normalised; empty ones are left out. A table row is one line. */
export function visibleLines(top: ParentNode, xml: boolean): string[] {
  return collect(top, xml, true)
    .split('\n')
    .map(normaliseText)
    .filter((line) => line !== '');
}

/** The text with separators. With `lines`, `\n` is found where a line ends and nowhere else. */
function collect(top: ParentNode, xml: boolean, lines: boolean): string {
  let text = '';
  let preformatted = isPreformatted(top);
  let node: AnyNode | null = top.children[0] ?? null;
  while (node !== null) {
    if (node.type === Text) {
      text += lines && !preformatted ? node.data.replaceAll(/[\n\r]/g, ' ') : node.data;
    } else if (isOpen(node, xml)) {
      text += separator(node, xml);
      const first: AnyNode | undefined = node.children[0];
      if (first !== undefined) {
        preformatted ||= isPreformatted(node);
        node = first;
        continue;
      }
      text += separator(node, xml);
    }
    while (node.next === null) {
      const parent: ParentNode | null = node.parent;
      if (parent === null || parent === top) return text;
      text += separator(parent, xml);
      if (preformatted && isPreformatted(parent)) preformatted = isInPreformatted(parent, top);
      node = parent;
    }
    node = node.next;
  }
  return text;
}

function isOpen(node: AnyNode, xml: boolean): node is ParentNode {
  if (node.type === CDATA) return true;
  if (!isElement(node)) return false;
  return xml || !(HIDDEN.has(node.name) || node.attribs.hidden !== undefined || isUndisplayed(node.attribs.style));
}

function isUndisplayed(style: string | undefined): boolean {
  return style !== undefined && DISPLAY_NONE.test(style);
}

function separator(node: ParentNode, xml: boolean): '\n' | ' ' | '' {
  return xml || !isElement(node) ? '' : (SEPARATORS.get(node.name) ?? '');
}

function isPreformatted(node: ParentNode): boolean {
  return isElement(node) && PREFORMATTED.has(node.name);
}

/** Whether the surroundings of `node`, up to `top`, are preformatted. */
function isInPreformatted(node: ParentNode, top: ParentNode): boolean {
  for (let outer = node.parent; outer !== null; outer = outer.parent) {
    if (isPreformatted(outer)) return true;
    if (outer === top) return false;
  }
  return false;
}

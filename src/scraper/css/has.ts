// `:has(S)`, read from left to right: whether an element has a descendant, child or later sibling that matches the first
// part of S and itself has what the rest of S asks for. Linear in the size of the page, whatever the selector.

import type { AnyNode, Element } from 'domhandler';
import { walkDescendants } from '../xpath/tree-walk.ts';
import { isElement } from '../xpath/xpath-node.ts';
import { besideMatch } from './combinators.ts';
import { MarkedAncestors } from './marked-ancestors.ts';
import type { Matcher } from './matcher.ts';
import type { QueryEffort } from './query-effort.ts';
import { elementBeside } from './sibling-index.ts';

/** Whether children are looked at; those of a <template> in HTML are only when it is asked itself. */
export type Opens = (element: Element) => boolean;

/** `:has(S)` */
export function hasBelow(matches: Matcher, opens: Opens, inner: Opens, effort: QueryEffort): Matcher {
  const marked = new MarkedAncestors(
    effort,
    (top, mark) => {
      walkDescendants(top, isElement, (node) => {
        if (isElement(node) && matches(node) && node.parent !== null && isElement(node.parent)) mark(node.parent);
        return undefined;
      });
    },
    inner,
  );
  return (element) => {
    if (!opens(element)) return false;
    if (effort.isHeavy) return marked.has(element);
    return findBelow(element, matches, inner, effort);
  };
}

/** `:has(> S)` */
export function hasChild(matches: Matcher, opens: Opens, effort: QueryEffort): Matcher {
  const isMatch = (node: AnyNode) => {
    effort.steps++;
    return isElement(node) && matches(node);
  };
  return effort.remembered((element) => opens(element) && element.children.some(isMatch));
}

/** `:has(+ S)` */
export function hasRightAfter(matches: Matcher): Matcher {
  return (element) => {
    const next = elementBeside(element, 'next');
    return next !== undefined && matches(next);
  };
}

/** `:has(~ S)` */
export function hasAfter(matches: Matcher, effort: QueryEffort): Matcher {
  return besideMatch(matches, effort, 'next');
}

function findBelow(top: Element, matches: Matcher, inner: Opens, effort: QueryEffort): boolean {
  let node: AnyNode = top;
  for (;;) {
    const first: AnyNode | undefined = isElement(node) && (node === top || inner(node)) ? node.children[0] : undefined;
    if (first !== undefined) node = first;
    else {
      while (node !== top && node.next === null) node = node.parent ?? top;
      if (node === top || node.next === null) return false;
      node = node.next;
    }
    effort.steps++;
    if (isElement(node) && matches(node)) return true;
  }
}

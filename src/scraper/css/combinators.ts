// Combinators, read from right to left as a selector is matched: whether an element has an ancestor, parent or earlier
// sibling that matches what stands before the combinator. Linear in the size of the page, whatever the selector.

import type { AnyNode, Element, ParentNode } from 'domhandler';
import { isElement } from '../xpath/xpath-node.ts';
import type { Matcher } from './matcher.ts';
import type { QueryEffort } from './query-effort.ts';
import { countSiblings, elementBeside } from './sibling-index.ts';

export function parentElement(element: Element): Element | null {
  const { parent } = element;
  return parent !== null && isElement(parent) ? parent : null;
}

/** `A B` */
export function below(matches: Matcher, effort: QueryEffort): Matcher {
  /** Whether the element or one above it matches. */
  const known = effort.keep(new Map<Element, boolean>());
  return (element) => {
    const parent = parentElement(element);
    let node = parent;
    if (!effort.isHeavy) {
      for (; node !== null; node = parentElement(node)) {
        effort.steps++;
        if (matches(node)) return true;
      }
      return false;
    }
    let answer: boolean | undefined;
    for (; node !== null; node = parentElement(node)) {
      answer = known.get(node) ?? (matches(node) || undefined);
      if (answer !== undefined) break;
    }
    const found = answer === true;
    if (node !== null) known.set(node, found);
    for (let passed = parent; passed !== node && passed !== null; passed = parentElement(passed))
      known.set(passed, found);
    return found;
  };
}

/** `A > B` */
export function childOf(matches: Matcher): Matcher {
  return (element) => {
    const parent = parentElement(element);
    return parent !== null && matches(parent);
  };
}

/** `A + B` */
export function rightAfter(matches: Matcher): Matcher {
  return (element) => {
    const previous = elementBeside(element, 'prev');
    return previous !== undefined && matches(previous);
  };
}

/** `A ~ B` */
export function after(matches: Matcher, effort: QueryEffort): Matcher {
  return besideMatch(matches, effort, 'prev');
}

/** Whether a sibling on a side matches: for a heavy query, whether the outermost match lies further out than the element. */
export function besideMatch(matches: Matcher, effort: QueryEffort, side: 'prev' | 'next'): Matcher {
  const isMatch = (node: AnyNode): node is Element => isElement(node) && matches(node);
  const outermost = effort.keep(new Map<ParentNode, Element | null>());
  return (element) => {
    const { parent } = element;
    if (!effort.isHeavy || parent === null) {
      for (let node = element[side]; node !== null; node = node[side]) {
        effort.steps++;
        if (isMatch(node)) return true;
      }
      return false;
    }
    let match = outermost.get(parent);
    if (match === undefined) {
      match = (side === 'prev' ? parent.children.find(isMatch) : parent.children.findLast(isMatch)) ?? null;
      outermost.set(parent, match);
    }
    return match !== null && countSiblings(match, side, false) < countSiblings(element, side, false);
  };
}

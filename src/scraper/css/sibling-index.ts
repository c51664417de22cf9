// The place of an element among its siblings. In a long list of children it is looked up in an index, which is made once
// for a parent and lives as long as that: a tree does not change after it is parsed. A short list is just counted.

import type { Element, ParentNode } from 'domhandler';
import { isElement } from '../xpath/xpath-node.ts';

/** Counting this many nodes is faster than looking up one. */
const SHORT = 32;

interface SiblingIndex {
  readonly elements: readonly Element[];
  readonly places: ReadonlyMap<Element, number>;
  /** Filled when first asked for: places among siblings of the same name, and how many there are. */
  byName?: { readonly places: ReadonlyMap<Element, number>; readonly counts: ReadonlyMap<string, number> };
}

const indexes = new WeakMap<ParentNode, SiblingIndex>();

/** How many element siblings stand before (or after) an element; with `sameName`, only those of its name. */
export function countSiblings(element: Element, side: 'prev' | 'next', sameName: boolean): number {
  const { parent, name } = element;
  if (parent === null || parent.children.length <= SHORT) {
    let count = 0;
    for (let node = element[side]; node !== null; node = node[side]) {
      if (isElement(node) && (!sameName || node.name === name)) count++;
    }
    return count;
  }
  const index = indexOf(parent);
  if (!sameName) {
    const place = index.places.get(element) ?? 0;
    return side === 'prev' ? place : index.elements.length - 1 - place;
  }
  index.byName ??= indexByName(index.elements);
  const place = index.byName.places.get(element) ?? 0;
  return side === 'prev' ? place : (index.byName.counts.get(name) ?? 1) - 1 - place;
}

/** The nearest element sibling on a side. */
export function elementBeside(element: Element, side: 'prev' | 'next'): Element | undefined {
  let passed = 0;
  for (let node = element[side]; node !== null; node = node[side]) {
    if (isElement(node)) return node;
    if (++passed > SHORT && element.parent !== null) {
      const { elements, places } = indexOf(element.parent);
      return elements[(places.get(element) ?? 0) + (side === 'prev' ? -1 : 1)];
    }
  }
  return undefined;
}

function indexOf(parent: ParentNode): SiblingIndex {
  const known = indexes.get(parent);
  if (known !== undefined) return known;
  const elements = parent.children.filter(isElement);
  const index = { elements, places: new Map(elements.map((element, place) => [element, place])) };
  indexes.set(parent, index);
  return index;
}

function indexByName(elements: readonly Element[]): NonNullable<SiblingIndex['byName']> {
  const counts = new Map<string, number>();
  const places = new Map<Element, number>();
  for (const element of elements) {
    const place = counts.get(element.name) ?? 0;
    places.set(element, place);
    counts.set(element.name, place + 1);
  }
  return { places, counts };
}

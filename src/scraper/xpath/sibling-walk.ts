// The siblings of a node that pass a test, nearest first. Whoever asks for the siblings of one node after the other would
// go through a long list again and again: after some times, those that pass the test are found once for their parent and
// looked up from then on. A tree does not change after it is parsed, and a test depends on nothing but the node.
import type { AnyNode, ParentNode } from 'domhandler';
import type { Test, Visit } from './tree-walk.ts';
import type { XPathNode } from './xpath-node.ts';

export type Side = 'next' | 'prev';

/** So many siblings are always gone through. */
const SHORT = 32;
/** So many times a longer list is gone through before it is worth an index. */
const OFTEN = 8;

interface LongList {
  asked: number;
  places?: ReadonlyMap<AnyNode, number>;
  /** The places of the children that pass a test, in order. */
  readonly passing: Map<Test, readonly number[]>;
}

const longLists = new WeakMap<ParentNode, LongList>();

/** Visits the siblings that pass the test until one gives a result. */
export function walkSiblings(node: AnyNode, side: Side, test: Test, visit: Visit): XPathNode | undefined {
  let passed = 0;
  for (let sibling = node[side]; sibling !== null; sibling = sibling[side]) {
    const passing = passed++ === SHORT ? passingFrom(sibling, side, test) : undefined;
    if (passing !== undefined) return visitPlaces(passing, side, visit);
    const result = test(sibling) ? visit(sibling) : undefined;
    if (result !== undefined) return result;
  }
  return undefined;
}

/** How many siblings pass the test. */
export function countSiblings(node: AnyNode, side: Side, test: Test): number {
  let count = 0;
  let passed = 0;
  for (let sibling = node[side]; sibling !== null; sibling = sibling[side]) {
    const passing = passed++ === SHORT ? passingFrom(sibling, side, test) : undefined;
    if (passing !== undefined) return count + (side === 'next' ? passing.places.length - passing.start : passing.start);
    if (test(sibling)) count++;
  }
  return count;
}

interface Passing {
  readonly children: readonly AnyNode[];
  readonly places: readonly number[];
  /** On the side `next` the first of the places that counts, on the side `prev` the first that does not. */
  readonly start: number;
}

/** The children from `sibling` on, itself included, that pass the test; undefined when the list was not asked often. */
function passingFrom(sibling: AnyNode, side: Side, test: Test): Passing | undefined {
  const { parent } = sibling;
  if (parent === null) return undefined;
  let list = longLists.get(parent);
  if (list === undefined) {
    list = { asked: 0, passing: new Map() };
    longLists.set(parent, list);
  }
  if (++list.asked <= OFTEN) return undefined;
  const { children } = parent;
  list.places ??= new Map(children.map((child, place) => [child, place]));
  let places = list.passing.get(test);
  if (places === undefined) {
    places = children.flatMap((child, place) => (test(child) ? [place] : []));
    list.passing.set(test, places);
  }
  const place = list.places.get(sibling) ?? 0;
  return { children, places, start: countBelow(places, side === 'next' ? place : place + 1) };
}

function visitPlaces({ children, places, start }: Passing, side: Side, visit: Visit): XPathNode | undefined {
  const step = side === 'next' ? 1 : -1;
  for (let index = side === 'next' ? start : start - 1; index >= 0 && index < places.length; index += step) {
    const child = children[places[index] ?? -1];
    const result = child === undefined ? undefined : visit(child);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** How many of the sorted numbers are less than the limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? limit) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

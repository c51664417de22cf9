// Which elements have something below them, found for all elements of a tree in one walk: from each thing that is found,
// all elements above it are marked, up to the first that is marked already.

import type { AnyNode, Element } from 'domhandler';
import { isElement } from '../xpath/xpath-node.ts';
import type { QueryEffort } from './query-effort.ts';

/** Calls `mark` with the innermost element around each thing that is found below `top`. */
export type Find = (top: AnyNode, mark: (element: Element) => void) => void;

export class MarkedAncestors {
  readonly #find: Find;
  readonly #effort: QueryEffort;
  readonly #goesOn: (element: Element) => boolean;
  readonly #searched: Set<AnyNode>;
  readonly #marked: Set<Element>;

  /** `goesOn` tells whether what is inside of an element is also inside of those above it. */
  constructor(effort: QueryEffort, find: Find, goesOn: (element: Element) => boolean = () => true) {
    this.#effort = effort;
    this.#find = find;
    this.#goesOn = goesOn;
    this.#searched = effort.keep(new Set());
    this.#marked = effort.keep(new Set());
  }

  has(element: Element): boolean {
    const top = this.#effort.topAbove(element);
    if (!this.#searched.has(top)) {
      this.#searched.add(top);
      this.#find(top, (found) => this.#mark(found));
    }
    return this.#marked.has(element);
  }

  #mark(found: Element): void {
    for (let node: AnyNode | null = found; node !== null && isElement(node); node = node.parent) {
      if (this.#marked.has(node)) return;
      this.#marked.add(node);
      if (!this.#goesOn(node)) return;
    }
  }
}

// What a CSS query has done so far, and what it remembers. Most queries are over before remembering would pay; one that has
// taken many steps is "heavy", and from then on asks no question about an element twice. So no page makes it quadratic.

import type { AnyNode, Element, ParentNode } from 'domhandler';

/** More than most queries take beyond looking at each node once. */
const LIGHT_STEPS = 2_000;

interface Clearable {
  clear(): void;
}

export class QueryEffort {
  /** How many nodes were looked at, beyond looking at each one once. */
  steps = 0;
  /** The node whose descendants are selected, while a query runs. */
  top: ParentNode | undefined;
  readonly #lightSteps: number;
  readonly #memories: Clearable[] = [];

  constructor(lightSteps = LIGHT_STEPS) {
    this.#lightSteps = lightSteps;
  }

  get isHeavy(): boolean {
    return this.steps >= this.#lightSteps;
  }

  /** A map or set that is emptied when the query ends: compiled selectors outlive pages and must not keep them in memory. */
  keep<T extends Clearable>(memory: T): T {
    this.#memories.push(memory);
    return memory;
  }

  /** The same test, which a heavy query applies only once to an element. */
  remembered(test: (element: Element) => boolean): (element: Element) => boolean {
    const known = this.keep(new Map<Element, boolean>());
    return (element) => {
      if (!this.isHeavy) return test(element);
      const before = known.get(element);
      if (before !== undefined) return before;
      const answer = test(element);
      known.set(element, answer);
      return answer;
    };
  }

  /** The top of the query if the element lies there, or else of the whole tree. */
  topAbove(element: Element): AnyNode {
    if (this.top?.parent === null) return this.top;
    let node: AnyNode = element;
    while (node !== this.top && node.parent !== null) node = node.parent;
    return node;
  }

  end(): void {
    this.top = undefined;
    // Only a heavy query remembers anything.
    if (this.isHeavy) for (const memory of this.#memories) memory.clear();
    this.steps = 0;
  }
}

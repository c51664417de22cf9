// For tests: how often the nodes of a tree are read. What a query does is in proportion to that, and not to the clock.

import type { AnyNode, ParentNode } from 'domhandler';

const LINKS = ['parent', 'prev', 'next', 'children', 'type', 'name', 'data'] as const;

/** How many properties of nodes `run` reads. */
export function countReads(document: ParentNode, run: () => unknown): number {
  let reads = 0;
  const open: AnyNode[] = [document];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ('children' in node) for (const child of node.children) open.push(child);
    for (const link of LINKS) {
      const value: unknown = Reflect.get(node, link);
      if (value === undefined) continue;
      const get = () => {
        reads++;
        return value;
      };
      Object.defineProperty(node, link, { get });
    }
  }
  run();
  return reads;
}

// What is known, before any tree is seen, about the nodes that a path visits depth first: whether each comes only once, and
// whether they come in document order. Only then may a search stop early without missing or repeating work.
import { isReverse } from './axes.ts';
import type { CompiledStep } from './step.ts';

/** A set of nodes: one at most, several of which none contains another, or any. */
type Shape = 'one' | 'apart' | 'nested';

export interface VisitOrder {
  readonly once: boolean;
  readonly inOrder: boolean;
}

export function visitOrder(steps: readonly CompiledStep[], start: Shape): VisitOrder {
  let shape = start;
  let once = true;
  let inOrder = true;
  for (const { axis, counted } of steps) {
    const before: Shape = shape;
    // Counted nodes come in document order on every axis (walkStep).
    if (isReverse(axis) && counted.length === 0) inOrder = false;
    switch (axis) {
      case 'self':
      case 'namespace':
        break;
      case 'attribute':
        shape = 'apart';
        break;
      case 'child':
        if (before === 'nested') inOrder = false;
        else shape = 'apart';
        break;
      case 'descendant':
      case 'descendant-or-self':
        if (before === 'nested') once = false;
        shape = 'nested';
        break;
      case 'parent':
        if (before !== 'one') once = false;
        break;
      case 'following-sibling':
      case 'preceding-sibling':
        if (before !== 'one') once = false;
        shape = 'apart';
        break;
      default:
        if (before !== 'one') once = false;
        shape = 'nested';
    }
    if (before === 'one' && counted.some(({ kind }) => kind === 'index' || kind === 'last')) shape = 'one';
  }
  return { once, inOrder: once && inOrder };
}

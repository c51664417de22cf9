// One step of a location path (XPath 1.0 §2.1): from context nodes in document order to result nodes in document order,
// none twice. Sorts only where an axis can break the order, and never walks the same part of the tree for two contexts.
import type { AxisName, NodeTest } from './ast.ts';
import { AXES, attributeNamed, isReverse, type Walk } from './axes.ts';
import { outermost, pruneContexts } from './context-pruning.ts';
import { inDocumentOrder } from './document-order.ts';
import { compileNodeTest } from './node-test.ts';
import { applyPredicates, type Predicate } from './predicate.ts';
import { always, type Test, type Visit, walkChosenChildren } from './tree-walk.ts';
import type { XPathNode } from './xpath-node.ts';

export interface CompiledStep {
  readonly axis: AxisName;
  readonly walk: Walk;
  /** The node test and all predicates before the first one that counts. */
  readonly test: Test;
  /** The predicates from the first one that counts. */
  readonly counted: readonly Predicate[];
}

export function compileStep(axis: AxisName, nodeTest: NodeTest, predicates: readonly Predicate[]): CompiledStep {
  const firstCounted = predicates.findIndex(({ kind }) => kind !== 'test');
  const plain = firstCounted === -1 ? predicates : predicates.slice(0, firstCounted);
  const counted = firstCounted === -1 ? [] : predicates.slice(firstCounted);
  const named = axis === 'attribute' && nodeTest.kind === 'name';
  const tests = plain.flatMap((predicate) => (predicate.kind === 'test' ? [predicate.test] : []));
  return {
    axis,
    walk: named ? attributeNamed(nodeTest.name) : AXES[axis],
    test: tests.reduce(both, compileNodeTest(nodeTest, axis === 'attribute' ? 'attribute' : 'element')),
    counted,
  };
}

/** `//x[…]` with predicates that count: the step's nodes for a context and for each node below it, as a single step. */
export function stepBelow(step: CompiledStep): CompiledStep {
  const choose = (parent: XPathNode) => nodesFrom(step, parent);
  return {
    axis: 'descendant',
    walk: (node, _test, visit) => walkChosenChildren(node, choose, visit),
    test: always,
    counted: [],
  };
}

/** The step for the nodes of any of the steps, if one walk along one axis finds them all. */
export function mergeSteps(steps: readonly CompiledStep[]): CompiledStep | undefined {
  const [first] = steps;
  const alike = ({ axis, walk, counted }: CompiledStep) =>
    axis === first?.axis && walk === AXES[axis] && counted.length === 0;
  if (first === undefined || !steps.every(alike)) return undefined;
  return { ...first, test: (node) => steps.some(({ test }) => test(node)) };
}

function both(first: Test, second: Test): Test {
  return (node) => first(node) && second(node);
}

/** Visits the nodes of one context until `visit` gives a result: nearest first, or in document order if they are counted. */
export function walkStep(step: CompiledStep, node: XPathNode, visit: Visit): XPathNode | undefined {
  if (step.counted.length === 0) return step.walk(node, step.test, visit);
  for (const found of nodesFrom(step, node)) {
    const result = visit(found);
    if (result !== undefined) return result;
  }
  return undefined;
}

/** The step's nodes for all contexts, which are in document order and different. */
export function applyStep(step: CompiledStep, contexts: XPathNode[]): XPathNode[] {
  const [only] = contexts;
  if (only === undefined) return [];
  if (contexts.length === 1) return nodesFrom(step, only);
  const { axis, counted } = step;
  if (counted.length > 0) {
    const nodes = contexts.flatMap((context) => nodesFrom(step, context));
    return axis === 'self' || axis === 'attribute' || (axis === 'child' && !anyNested(contexts))
      ? nodes
      : inDocumentOrder(nodes);
  }
  if (axis === 'parent' || axis.startsWith('ancestor')) return inDocumentOrder(nodesAbove(step, contexts));
  const pruned = pruneContexts(axis, contexts);
  const nodes: XPathNode[] = [];
  const collect = collector(nodes);
  for (const context of pruned) step.walk(context, step.test, collect);
  if (axis === 'child') return anyNested(pruned) ? inDocumentOrder(nodes) : nodes;
  // An attribute is its own self, and its place is before what lies below its element.
  if (axis === 'descendant-or-self' && pruned.length > 1 && pruned.some(isAttribute)) return inDocumentOrder(nodes);
  if (axis.endsWith('-sibling') && pruned.length > 1) return inDocumentOrder(nodes);
  return isReverse(axis) ? nodes.reverse() : nodes;
}

/** Parents or ancestors of all contexts. What is above a node that was seen has been seen too: the walk stops there. */
function nodesAbove({ walk, test }: CompiledStep, contexts: readonly XPathNode[]): XPathNode[] {
  const seen = new Set<XPathNode>();
  const nodes: XPathNode[] = [];
  const collect: Visit = (node) => {
    if (seen.has(node)) return node;
    seen.add(node);
    if (test(node)) nodes.push(node);
    return undefined;
  };
  for (const context of contexts) walk(context, always, collect);
  return nodes;
}

/** The step's nodes for one context, in document order. */
function nodesFrom({ axis, walk, test, counted }: CompiledStep, node: XPathNode): XPathNode[] {
  const [first, ...rest] = counted;
  if (first?.kind === 'index') {
    let position = 0;
    const found = walk(node, test, (candidate) => (++position === first.index ? candidate : undefined));
    return found === undefined ? [] : applyPredicates([found], rest);
  }
  const nodes: XPathNode[] = [];
  walk(node, test, collector(nodes));
  const left = applyPredicates(nodes, counted);
  return isReverse(axis) ? left.reverse() : left;
}

function collector(nodes: XPathNode[]): Visit {
  return (node) => {
    nodes.push(node);
    return undefined;
  };
}

/** Whether one of the nodes contains another: then their children, one after the other, are not in document order. */
function anyNested(nodes: readonly XPathNode[]): boolean {
  return outermost(nodes).length < nodes.length;
}

function isAttribute(node: XPathNode): boolean {
  return node.type === 'attribute';
}

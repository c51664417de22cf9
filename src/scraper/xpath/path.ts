// Location paths (XPath 1.0 §2): steps one after the other. All nodes are found step by step, so that no node is visited
// twice; a first or any node is found depth first, stopping there, where the steps visit nodes only once anyway.
import type { AxisName, NodeTest } from './ast.ts';
import { AXES } from './axes.ts';
import type { CompiledNodes, Evaluate } from './compiled.ts';
import { visitAll } from './node-list.ts';
import type { Predicate } from './predicate.ts';
import { countSiblings } from './sibling-walk.ts';
import { applyStep, type CompiledStep, compileStep, mergeSteps, stepBelow, walkStep } from './step.ts';
import { itself, type Visit } from './tree-walk.ts';
import { visitOrder } from './visit-order.ts';
import { rootOf, type XPathNode } from './xpath-node.ts';

/** A step whose predicates are compiled. */
export interface PathStep {
  readonly axis: AxisName;
  readonly test: NodeTest;
  readonly predicates: readonly Predicate[];
}

type Start = 'context' | 'root' | CompiledNodes;

/** The path from the context node, the root, or the nodes of another expression. */
export function compilePath(from: Start, source: readonly PathStep[]): CompiledNodes {
  const attribute = from === 'context' ? soleAttribute(source) : undefined;
  const steps = compileSteps(source);
  const path = pathOf(from, steps);
  const count = from === 'context' ? siblingCount(steps) : undefined;
  return { ...path, ...(attribute === undefined ? {} : { attribute }), ...(count === undefined ? {} : { count }) };
}

/** The number of nodes, if the path is just one of the sibling axes: `count(preceding-sibling::tr)`. */
function siblingCount([step, ...more]: readonly CompiledStep[]): Evaluate<number> | undefined {
  if (step === undefined || more.length > 0 || step.counted.length > 0 || !step.axis.endsWith('-sibling'))
    return undefined;
  const { axis, test } = step;
  const side = axis === 'following-sibling' ? 'next' : 'prev';
  return (node) => (node.type === 'attribute' ? 0 : countSiblings(node, side, test));
}

/** The union of paths with one start, if it can be had in a single walk: `//h1 | //h2`. */
export function compileMergedPaths(from: Start, sources: readonly (readonly PathStep[])[]): CompiledNodes | undefined {
  const paths = sources.map(compileSteps);
  const merged = paths.every(({ length }) => length === 1) ? mergeSteps(paths.flat()) : undefined;
  return merged === undefined ? undefined : pathOf(from, [merged]);
}

function pathOf(from: Start, steps: readonly CompiledStep[]): CompiledNodes {
  const start = startOf(from);
  const { once, inOrder } = visitOrder(steps, typeof from === 'string' ? 'one' : 'nested');
  const evaluate: Evaluate<XPathNode[]> = (node, position, size) => {
    let nodes = start(node, position, size);
    for (const step of steps) nodes = applyStep(step, nodes);
    return nodes;
  };
  const depthFirst: CompiledNodes['find'] = (visit, node, position, size) =>
    visitAll(start(node, position, size), (context) => walkSteps(steps, 0, context, visit));

  return {
    kind: 'nodes',
    positional: typeof from !== 'string' && from.positional,
    evaluate,
    find: once ? depthFirst : (visit, node, position, size) => visitAll(evaluate(node, position, size), visit),
    first: inOrder
      ? (node, position, size) => depthFirst(itself, node, position, size)
      : (node, position, size) => evaluate(node, position, size)[0],
  };
}

function walkSteps(
  steps: readonly CompiledStep[],
  index: number,
  node: XPathNode,
  visit: Visit,
): XPathNode | undefined {
  const step = steps[index];
  if (step === undefined) return visit(node);
  if (index === steps.length - 1) return walkStep(step, node, visit);
  return walkStep(step, node, (found) => walkSteps(steps, index + 1, found, visit));
}

function startOf(from: Start): Evaluate<XPathNode[]> {
  if (from === 'context') return (node) => [node];
  if (from === 'root') return (node) => [rootOf(node)];
  return from.evaluate;
}

/** The name, if the path is just `@name`. */
function soleAttribute([step, ...more]: readonly PathStep[]): string | undefined {
  if (step === undefined || more.length > 0 || step.predicates.length > 0) return undefined;
  return step.axis === 'attribute' && step.test.kind === 'name' ? step.test.name : undefined;
}

/**
 * The steps, with fewer nodes in between: `//x` is `descendant-or-self::node()/child::x` (§2.5), and that is a single walk
 * over the descendants.
 */
function compileSteps(source: readonly PathStep[]): readonly CompiledStep[] {
  const steps: CompiledStep[] = [];
  let below = false;
  for (const step of source) {
    if (isEverything(step, 'self')) continue;
    const everythingBelow = isEverything(step, 'descendant-or-self');
    if (below && !everythingBelow) steps.push(...compileBelow(step));
    else if (!everythingBelow) steps.push(compileStep(step.axis, step.test, step.predicates));
    below = everythingBelow;
  }
  return below ? [...steps, EVERYTHING_BELOW] : steps;
}

/** The step after `descendant-or-self::node()`, together with it. */
function compileBelow({ axis, test, predicates }: PathStep): readonly CompiledStep[] {
  const step = compileStep(axis, test, predicates);
  if (axis === 'attribute') return [compileStep('descendant-or-self', { kind: 'any-name' }, []), step];
  if (step.counted.length > 0) return axis === 'child' ? [stepBelow(step)] : [EVERYTHING_BELOW, step];
  if (axis === 'child') return [{ ...step, axis: 'descendant', walk: AXES.descendant }];
  if (axis === 'self') return [{ ...step, axis: 'descendant-or-self', walk: AXES['descendant-or-self'] }];
  return axis === 'descendant' || axis === 'descendant-or-self' ? [step] : [EVERYTHING_BELOW, step];
}

const EVERYTHING_BELOW = compileStep('descendant-or-self', { kind: 'node' }, []);

function isEverything(step: PathStep, axis: AxisName): boolean {
  return step.axis === axis && step.test.kind === 'node' && step.predicates.length === 0;
}

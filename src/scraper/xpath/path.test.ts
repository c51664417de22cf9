// Compares location paths with a naive interpreter that filters the list of all nodes by the definitions of XPath 1.0 §2.2.
import type { AnyNode } from 'domhandler';
import fc from 'fast-check';
import { parseDocument } from 'htmlparser2';
import { describe, expect, it } from 'vitest';
import type { AxisName } from './ast.ts';
import { compileXPath, stringValue, type XPathNode } from './xpath.ts';
import { attributeNode, childrenOf, isElement, isText, parentOf } from './xpath-node.ts';

interface Predicate {
  readonly text: string;
  readonly accepts: (node: XPathNode, position: number, size: number, all: readonly XPathNode[]) => boolean;
}

interface Step {
  readonly slashes: '/' | '//';
  readonly axis: AxisName;
  readonly test: { readonly text: string; readonly accepts: (node: XPathNode, axis: AxisName) => boolean };
  readonly predicates: readonly Predicate[];
}

const REVERSE = new Set<AxisName>(['ancestor', 'ancestor-or-self', 'preceding', 'preceding-sibling']);

/** Random tags, where `/` closes the innermost open element; what is open at the end, the parser closes. */
const html = fc
  .array(fc.constantFrom('x', 'y', 'z n="1"', 'x n="2" m="x"', '/', '/', '/', 'text', 'comment'), {
    minLength: 5,
    maxLength: 40,
  })
  .map((tags) => {
    const open: string[] = [];
    const written = tags.map((tag) => {
      if (tag === 'text') return 'word';
      if (tag === 'comment') return '<!--c-->';
      if (tag === '/') return open.length === 0 ? '' : `</${open.pop()}>`;
      open.push(tag.slice(0, 1));
      return `<${tag}>`;
    });
    return `<r>${written.join('')}`;
  });

const axis = fc.constantFrom<AxisName>(
  'child',
  'child',
  'child',
  'descendant',
  'descendant',
  'ancestor',
  'ancestor-or-self',
  'attribute',
  'child',
  'descendant',
  'descendant-or-self',
  'following',
  'following-sibling',
  'parent',
  'preceding',
  'preceding-sibling',
  'self',
);

const nodeTest = fc.constantFrom<Step['test']>(
  { text: 'node()', accepts: () => true },
  { text: 'node()', accepts: () => true },
  { text: '*', accepts: isPrincipal },
  { text: 'text()', accepts: isText },
  { text: 'comment()', accepts: (node) => node.type === 'comment' },
  { text: '*', accepts: isPrincipal },
  { text: 'x', accepts: (node, on) => isPrincipal(node, on) && 'name' in node && node.name === 'x' },
  { text: 'n', accepts: (node, on) => isPrincipal(node, on) && 'name' in node && node.name === 'n' },
);

const predicate = fc.constantFrom<Predicate>(
  { text: '1', accepts: (_node, position) => position === 1 },
  { text: '2', accepts: (_node, position) => position === 2 },
  { text: 'last()', accepts: (_node, position, size) => position === size },
  { text: 'position() > 1', accepts: (_node, position) => position > 1 },
  { text: 'position() mod 2 = last() mod 2', accepts: (_node, position, size) => position % 2 === size % 2 },
  { text: '@n', accepts: (node) => isElement(node) && 'n' in node.attribs },
  { text: 'y', accepts: (node) => childrenOf(node).some((child) => isElement(child) && child.name === 'y') },
  { text: 'not(preceding::x)', accepts: (node, _p, _s, all) => !reach('preceding', node, all).some(isX) },
  { text: 'ancestor::x', accepts: (node, _p, _s, all) => reach('ancestor', node, all).some(isX) },
);

const step: fc.Arbitrary<Step> = fc.record({
  slashes: fc.constantFrom('/', '/', '//'),
  axis,
  test: nodeTest,
  predicates: fc.oneof(fc.constant([]), fc.array(predicate, { maxLength: 2 })),
});
const path = fc.array(step, { minLength: 1, maxLength: 3 });

describe('A location path', () => {
  it('finds what the definition of its axes says, in document order, none twice', () => {
    fc.assert(
      fc.property(html, path, fc.nat(), (page, steps, pick) => {
        const all = allNodes(page);
        const context = all[pick % all.length] ?? fail();
        const expected = interpret(steps, context, all);
        expectNodes(`.${write(steps)}`, context, expected, all);
        expect(value(`count(.${write(steps)})`, context)).toBe(expected.length);
        expect(value(`boolean(.${write(steps)})`, context)).toBe(expected.length > 0);
        expect(value(`string(.${write(steps)})`, context)).toBe(
          expected[0] === undefined ? '' : stringValue(expected[0]),
        );
      }),
      { numRuns: 3000 },
    );
  });

  it('keeps the order when an attribute and what lies below its element are contexts together', () => {
    const all = allNodes('<r><x n="1"><!--c--><y></y></x></r>');
    const attribute = all.find(({ type }) => type === 'attribute') ?? fail();
    expectNodes(
      './ancestor-or-self::node()//preceding::node()',
      attribute,
      all.filter(({ type }) => type === 'comment'),
      all,
    );
  });

  it('that is absolute, in a union, or filtered finds the same', () => {
    fc.assert(
      fc.property(html, path, path, fc.nat(), (page, left, right, pick) => {
        const all = allNodes(page);
        const root = all[0] ?? fail();
        const context = all[pick % all.length] ?? fail();
        const either = new Set([...interpret(left, root, all), ...interpret(right, root, all)]);
        const expected = all.filter((node) => either.has(node));
        const union = `${write(left)} | ${write(right)}`;
        expectNodes(union, context, expected, all);
        expectNodes(`(${union})[1]`, context, expected.slice(0, 1), all);
        expectNodes(`(${union})[last()]`, context, expected.slice(-1), all);
        expect(value(`boolean(${union})`, context)).toBe(expected.length > 0);
      }),
      { numRuns: 1500 },
    );
  });
});

function fail(): never {
  throw new Error('a page has at least its root');
}

function write(steps: readonly Step[]): string {
  return steps
    .map(({ slashes, axis: on, test, predicates }) => {
      const brackets = predicates.map(({ text }) => `[${text}]`).join('');
      return `${slashes}${on}::${test.text}${brackets}`;
    })
    .join('');
}

function value(expression: string, context: XPathNode) {
  const result = compileXPath(expression).evaluate(context);
  return result.kind === 'nodes' ? result.nodes : result.value;
}

function expectNodes(
  expression: string,
  context: XPathNode,
  expected: readonly XPathNode[],
  all: readonly XPathNode[],
) {
  const place = (node: XPathNode) => all.findIndex((candidate) => isSame(candidate, node));
  expect(compileXPath(expression).select(context).map(place), expression).toEqual(expected.map(place));
}

function isSame(a: XPathNode, b: XPathNode): boolean {
  return a === b || (a.type === 'attribute' && b.type === 'attribute' && a.owner === b.owner && a.name === b.name);
}

/** All nodes of the page in document order, attributes after their element. */
function allNodes(page: string): readonly XPathNode[] {
  const list = (node: AnyNode): XPathNode[] => [
    node,
    ...(isElement(node) ? Object.entries(node.attribs).map(([name, text]) => attributeNode(node, name, text)) : []),
    ...childrenOf(node).flatMap(list),
  ];
  return list(parseDocument(page));
}

function interpret(steps: readonly Step[], start: XPathNode, all: readonly XPathNode[]): readonly XPathNode[] {
  let nodes: readonly XPathNode[] = [start];
  for (const { slashes, axis: on, test, predicates } of steps) {
    const found = new Set<XPathNode>();
    for (const context of slashes === '/' ? nodes : nodes.flatMap((node) => reach('descendant-or-self', node, all))) {
      let candidates = reach(on, context, all).filter((node) => test.accepts(node, on));
      for (const { accepts } of predicates) {
        const before = candidates;
        candidates = before.filter((node, index) => accepts(node, index + 1, before.length, all));
      }
      for (const node of candidates) found.add(node);
    }
    nodes = all.filter((node) => found.has(node));
  }
  return nodes;
}

/** The nodes on the axis in proximity order. */
function reach(on: AxisName, context: XPathNode, all: readonly XPathNode[]): readonly XPathNode[] {
  const found = all.filter((node) => isReached(on, context, node, all));
  return REVERSE.has(on) ? found.reverse() : found;
}

function isReached(on: AxisName, context: XPathNode, node: XPathNode, all: readonly XPathNode[]): boolean {
  if (on === 'self' || on.endsWith('-or-self')) {
    if (node === context) return true;
    if (on === 'self') return false;
  }
  if (on === 'attribute') return node.type === 'attribute' && node.owner === context;
  if (node.type === 'attribute') return false;
  const order = all.indexOf(node) - all.indexOf(context);
  if (on === 'child') return node.parent === context;
  if (on === 'parent') return parentOf(context) === node;
  if (on.startsWith('descendant')) return isAbove(context, node);
  if (on.startsWith('ancestor')) return isAbove(node, context);
  if (on.endsWith('-sibling')) {
    const siblings = context.type !== 'attribute' && node.parent !== null && node.parent === context.parent;
    return siblings && (on === 'following-sibling' ? order > 0 : order < 0);
  }
  return on === 'following' ? order > 0 && !isAbove(context, node) : order < 0 && !isAbove(node, context);
}

function isAbove(above: XPathNode, node: XPathNode): boolean {
  const parent = parentOf(node);
  return parent !== null && (parent === above || isAbove(above, parent));
}

function isPrincipal(node: XPathNode, on: AxisName): boolean {
  return on === 'attribute' ? node.type === 'attribute' : isElement(node);
}

function isX(node: XPathNode): boolean {
  return isElement(node) && node.name === 'x';
}

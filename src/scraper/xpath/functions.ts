// The core function library (XPath 1.0 §4), and `re:test` of EXSLT, which people know from lxml.
import type { Arguments } from './arguments.ts';
import type { Compiled, Evaluate } from './compiled.ts';
import { stringToNumber } from './convert.ts';
import { elementsWithIds, isInLanguage, nodeName } from './node-functions.ts';
import { compileNodeList } from './node-list.ts';
import { regexTester } from './regex-test.ts';
import * as strings from './string-functions.ts';
import { stringValue } from './string-value.ts';
import type { XPathNode } from './xpath-node.ts';

export interface CoreFunction {
  /** How many arguments it takes, at least and at most. */
  readonly arity: readonly [least: number, most: number];
  /** Without arguments it takes the context node. */
  readonly contextByDefault?: true;
  /** `positional` of the result is about the function itself; that of its arguments is added by the caller. */
  readonly compile: (args: Arguments) => Compiled;
}

const number = (evaluate: Evaluate<number>): Compiled => ({ kind: 'number', evaluate, positional: false });
const string = (evaluate: Evaluate<string>): Compiled => ({ kind: 'string', evaluate, positional: false });
const boolean = (evaluate: Evaluate<boolean>): Compiled => ({ kind: 'boolean', evaluate, positional: false });

function map<A, T>(a: Evaluate<A>, combine: (a: A) => T): Evaluate<T> {
  return (node, position, size) => combine(a(node, position, size));
}

function map2<A, B, T>(a: Evaluate<A>, b: Evaluate<B>, combine: (a: A, b: B) => T): Evaluate<T> {
  return (node, position, size) => combine(a(node, position, size), b(node, position, size));
}

function map3<A, B, C, T>(
  a: Evaluate<A>,
  b: Evaluate<B>,
  c: Evaluate<C>,
  combine: (a: A, b: B, c: C) => T,
): Evaluate<T> {
  return (node, position, size) => combine(a(node, position, size), b(node, position, size), c(node, position, size));
}

const NODE_FUNCTIONS: Record<string, CoreFunction> = {
  last: {
    arity: [0, 0],
    compile: () => ({ kind: 'number', evaluate: (_node, _position, size) => size, positional: true }),
  },
  position: {
    arity: [0, 0],
    compile: () => ({ kind: 'number', evaluate: (_node, position) => position, positional: true }),
  },
  count: {
    arity: [1, 1],
    compile: (args) => {
      const { count, evaluate } = args.nodes(0);
      return number(count ?? map(evaluate, (nodes) => nodes.length));
    },
  },
  id: {
    arity: [1, 1],
    compile: (args) => {
      const ids = args.isNodes(0) ? map(args.nodes(0).evaluate, joinValues) : args.string(0);
      return compileNodeList((node, position, size) => elementsWithIds(node, ids(node, position, size)), false);
    },
  },
  'local-name': nameFunction(nodeName),
  name: nameFunction(nodeName),
  'namespace-uri': nameFunction(() => ''),
};

const STRING_FUNCTIONS: Record<string, CoreFunction> = {
  string: { arity: [0, 1], contextByDefault: true, compile: (args) => string(args.string(0)) },
  concat: {
    arity: [2, Number.POSITIVE_INFINITY],
    compile: (args) => {
      const parts = Array.from({ length: args.count }, (_, index) => args.string(index));
      return string(parts.reduce((left, right) => map2(left, right, (a, b) => a + b)));
    },
  },
  'starts-with': {
    arity: [2, 2],
    compile: (args) => boolean(map2(args.string(0), args.string(1), (text, start) => text.startsWith(start))),
  },
  contains: {
    arity: [2, 2],
    compile: (args) => boolean(map2(args.string(0), args.string(1), (text, part) => text.includes(part))),
  },
  'substring-before': {
    arity: [2, 2],
    compile: (args) => string(map2(args.string(0), args.string(1), strings.substringBefore)),
  },
  'substring-after': {
    arity: [2, 2],
    compile: (args) => string(map2(args.string(0), args.string(1), strings.substringAfter)),
  },
  substring: {
    arity: [2, 3],
    compile: (args) =>
      args.count === 2
        ? string(map2(args.string(0), args.number(1), (text, start) => strings.substring(text, start)))
        : string(map3(args.string(0), args.number(1), args.number(2), strings.substring)),
  },
  'string-length': {
    arity: [0, 1],
    contextByDefault: true,
    compile: (args) => number(map(args.string(0), strings.stringLength)),
  },
  'normalize-space': {
    arity: [0, 1],
    contextByDefault: true,
    compile: (args) => string(map(args.string(0), strings.normalizeSpace)),
  },
  translate: {
    arity: [3, 3],
    compile: (args) => string(map3(args.string(0), args.string(1), args.string(2), strings.translator())),
  },
  're:test': {
    arity: [2, 3],
    compile: (args) => {
      const flags = args.count === 3 ? args.string(2) : () => '';
      return boolean(map3(args.string(0), args.string(1), flags, regexTester()));
    },
  },
};

const VALUE_FUNCTIONS: Record<string, CoreFunction> = {
  boolean: { arity: [1, 1], compile: (args) => boolean(args.boolean(0)) },
  not: { arity: [1, 1], compile: (args) => boolean(map(args.boolean(0), (value) => !value)) },
  true: { arity: [0, 0], compile: () => boolean(() => true) },
  false: { arity: [0, 0], compile: () => boolean(() => false) },
  lang: {
    arity: [1, 1],
    compile: (args) => {
      const language = args.string(0);
      return boolean((node, position, size) => isInLanguage(node, language(node, position, size)));
    },
  },
  number: { arity: [0, 1], contextByDefault: true, compile: (args) => number(args.number(0)) },
  sum: { arity: [1, 1], compile: (args) => number(map(args.nodes(0).evaluate, sumOf)) },
  floor: { arity: [1, 1], compile: (args) => number(map(args.number(0), Math.floor)) },
  ceiling: { arity: [1, 1], compile: (args) => number(map(args.number(0), Math.ceil)) },
  // §4.4: halves go towards positive infinity, and small negative numbers become negative zero, as in JavaScript.
  round: { arity: [1, 1], compile: (args) => number(map(args.number(0), Math.round)) },
};

/** All functions by name. */
export const FUNCTIONS: ReadonlyMap<string, CoreFunction> = new Map(
  [NODE_FUNCTIONS, STRING_FUNCTIONS, VALUE_FUNCTIONS].flatMap((library) => Object.entries(library)),
);

function nameFunction(read: (node: XPathNode) => string): CoreFunction {
  return {
    arity: [0, 1],
    contextByDefault: true,
    compile: (args) => string(map(args.nodes(0).first, (node) => (node === undefined ? '' : read(node)))),
  };
}

function joinValues(nodes: readonly XPathNode[]): string {
  return nodes.map(stringValue).join(' ');
}

function sumOf(nodes: readonly XPathNode[]): number {
  return nodes.reduce((sum, node) => sum + stringToNumber(stringValue(node)), 0);
}

// Comparisons (XPath 1.0 §3.4). With a node-set they ask whether there is some node for which they hold.
import type { Equality, Relation } from './ast.ts';
import type { Compiled, CompiledNodes, Evaluate } from './compiled.ts';
import { stringToNumber, toBooleanExpression, toNumberExpression, toStringExpression } from './convert.ts';
import { stringValue } from './string-value.ts';
import { attributeValue, type XPathNode } from './xpath-node.ts';

type Operator = Equality | Relation;
type Compare<T> = (left: T, right: T) => boolean;

const COMPARE_STRINGS: Record<Equality, Compare<string>> = {
  '=': (left, right) => left === right,
  '!=': (left, right) => left !== right,
};

const COMPARE_NUMBERS: Record<Operator, Compare<number>> = {
  '=': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

const MIRRORED: Record<Operator, Operator> = { '=': '=', '!=': '!=', '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/** The comparison of two expressions of any type. */
export function compileComparison(operator: Operator, left: Compiled, right: Compiled): Evaluate<boolean> {
  if (left.kind === 'boolean' || right.kind === 'boolean') return compareWithBoolean(operator, left, right);
  if (left.kind === 'nodes' && right.kind === 'nodes') return compareNodeSets(operator, left, right);
  const allStrings = left.kind !== 'number' && right.kind !== 'number';
  if (allStrings && isEquality(operator)) {
    const compare = COMPARE_STRINGS[operator];
    if (left.kind === 'nodes') return anyNode(left, itself, toStringExpression(right), compare);
    if (right.kind === 'nodes') return anyNode(right, itself, toStringExpression(left), compare);
    return compareValues(toStringExpression(left), toStringExpression(right), compare);
  }
  if (left.kind === 'nodes') return anyNode(left, stringToNumber, toNumberExpression(right), COMPARE_NUMBERS[operator]);
  if (right.kind === 'nodes') {
    return anyNode(right, stringToNumber, toNumberExpression(left), COMPARE_NUMBERS[MIRRORED[operator]]);
  }
  return compareValues(toNumberExpression(left), toNumberExpression(right), COMPARE_NUMBERS[operator]);
}

/** Equality compares two booleans, all else two numbers; but a node-set always counts as a boolean. */
function compareWithBoolean(operator: Operator, left: Compiled, right: Compiled): Evaluate<boolean> {
  const read = (side: Compiled) =>
    isEquality(operator) || side.kind === 'nodes'
      ? toNumberExpression({ kind: 'boolean', evaluate: toBooleanExpression(side), positional: side.positional })
      : toNumberExpression(side);
  return compareValues(read(left), read(right), COMPARE_NUMBERS[operator]);
}

function compareValues<T>(left: Evaluate<T>, right: Evaluate<T>, compare: Compare<T>): Evaluate<boolean> {
  return (node, position, size) => compare(left(node, position, size), right(node, position, size));
}

/** Whether the comparison holds between some node, read as `T`, and the value. */
function anyNode<T>(
  { attribute, find }: CompiledNodes,
  read: (text: string) => T,
  value: Evaluate<T>,
  compare: Compare<T>,
): Evaluate<boolean> {
  if (attribute !== undefined) {
    return (node, position, size) => {
      const text = attributeValue(node, attribute);
      return text !== undefined && compare(read(text), value(node, position, size));
    };
  }
  return (node, position, size) => {
    const wanted = value(node, position, size);
    const holds = (found: XPathNode) => (compare(read(stringValue(found)), wanted) ? found : undefined);
    return find(holds, node, position, size) !== undefined;
  };
}

function compareNodeSets(operator: Operator, left: CompiledNodes, right: CompiledNodes): Evaluate<boolean> {
  if (isEquality(operator)) {
    return (node, position, size) => {
      const values = new Set(left.evaluate(node, position, size).map(stringValue));
      if (values.size === 0) return false;
      const holds =
        operator === '='
          ? (found: XPathNode) => (values.has(stringValue(found)) ? found : undefined)
          : (found: XPathNode) => (values.size > 1 || !values.has(stringValue(found)) ? found : undefined);
      return right.find(holds, node, position, size) !== undefined;
    };
  }
  // Some pair holds exactly when the pair of the most favourable numbers does.
  const compare = COMPARE_NUMBERS[operator];
  const [pickLeft, pickRight] = operator.startsWith('<') ? [Math.min, Math.max] : [Math.max, Math.min];
  return (node, position, size) =>
    compare(
      extreme(left.evaluate(node, position, size), pickLeft),
      extreme(right.evaluate(node, position, size), pickRight),
    );
}

/** The least or greatest number among the nodes; NaN, which no relation accepts, if there is none. */
function extreme(nodes: readonly XPathNode[], pick: (a: number, b: number) => number): number {
  const numbers = nodes.map((node) => stringToNumber(stringValue(node))).filter((number) => !Number.isNaN(number));
  return numbers.length === 0 ? Number.NaN : numbers.reduce((a, b) => pick(a, b));
}

function isEquality(operator: Operator): operator is Equality {
  return operator === '=' || operator === '!=';
}

function itself(text: string): string {
  return text;
}

// Conversions between the four types (XPath 1.0 §4.2–4.4), of values and of compiled expressions.
import { assertNever } from '../../platform/errors.ts';
import type { Compiled, CompiledNodes, Evaluate } from './compiled.ts';
import { stringValue } from './string-value.ts';
import { itself } from './tree-walk.ts';
import { attributeValue } from './xpath-node.ts';

const NUMBER = /^[ \t\r\n]*(-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))[ \t\r\n]*$/;

/** §4.4: optional white space and minus around digits. No plus sign, no exponent: all else is NaN. */
export function stringToNumber(text: string): number {
  const digits = NUMBER.exec(text)?.[1];
  return digits === undefined ? Number.NaN : Number(digits);
}

/** §4.2: decimal form without exponent, with as many digits as tell the number from all others; both zeros are "0". */
export function numberToString(value: number): string {
  const text = String(value === 0 ? 0 : value);
  const [mantissa = '', exponentText] = text.split('e');
  if (exponentText === undefined) return text;
  const exponent = Number(exponentText);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.');
  const digits = whole + fraction;
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`;
  return `${sign}${digits}${'0'.repeat(exponent - fraction.length)}`;
}

export function toStringExpression(expression: Compiled): Evaluate<string> {
  switch (expression.kind) {
    case 'string':
      return expression.evaluate;
    case 'number': {
      const { evaluate } = expression;
      return (node, position, size) => numberToString(evaluate(node, position, size));
    }
    case 'boolean': {
      const { evaluate } = expression;
      return (node, position, size) => String(evaluate(node, position, size));
    }
    case 'nodes':
      return firstStringValue(expression);
    default:
      return assertNever(expression);
  }
}

export function toNumberExpression(expression: Compiled): Evaluate<number> {
  switch (expression.kind) {
    case 'number':
      return expression.evaluate;
    case 'boolean': {
      const { evaluate } = expression;
      return (node, position, size) => (evaluate(node, position, size) ? 1 : 0);
    }
    case 'string':
    case 'nodes': {
      const text = toStringExpression(expression);
      return (node, position, size) => stringToNumber(text(node, position, size));
    }
    default:
      return assertNever(expression);
  }
}

export function toBooleanExpression(expression: Compiled): Evaluate<boolean> {
  switch (expression.kind) {
    case 'boolean':
      return expression.evaluate;
    case 'number': {
      const { evaluate } = expression;
      return (node, position, size) => {
        const value = evaluate(node, position, size);
        return value !== 0 && !Number.isNaN(value);
      };
    }
    case 'string': {
      const { evaluate } = expression;
      return (node, position, size) => evaluate(node, position, size) !== '';
    }
    case 'nodes':
      return existence(expression);
    default:
      return assertNever(expression);
  }
}

function firstStringValue({ attribute, first }: CompiledNodes): Evaluate<string> {
  if (attribute !== undefined) return (node) => attributeValue(node, attribute) ?? '';
  return (node, position, size) => {
    const found = first(node, position, size);
    return found === undefined ? '' : stringValue(found);
  };
}

function existence({ attribute, find }: CompiledNodes): Evaluate<boolean> {
  if (attribute !== undefined) return (node) => attributeValue(node, attribute) !== undefined;
  return (node, position, size) => find(itself, node, position, size) !== undefined;
}

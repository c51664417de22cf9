// Pseudo-classes that count siblings (Selectors 4 §13.3 and §13.4), and the formula an+b in them.

import type { Element, ParentNode } from 'domhandler';
import { isElement } from '../xpath/xpath-node.ts';
import { parentElement } from './combinators.ts';
import type { Matcher } from './matcher.ts';
import type { QueryEffort } from './query-effort.ts';
import { countSiblings, elementBeside } from './sibling-index.ts';

/** Those without arguments. */
export const PLACES: ReadonlyMap<string, Matcher> = new Map<string, Matcher>([
  ['first-child', (element) => elementBeside(element, 'prev') === undefined],
  ['last-child', (element) => elementBeside(element, 'next') === undefined],
  [
    'only-child',
    (element) => elementBeside(element, 'prev') === undefined && elementBeside(element, 'next') === undefined,
  ],
  ['first-of-type', (element) => countSiblings(element, 'prev', true) === 0],
  ['last-of-type', (element) => countSiblings(element, 'next', true) === 0],
  ['only-of-type', (element) => countSiblings(element, 'prev', true) + countSiblings(element, 'next', true) === 0],
]);

interface NthKind {
  /** From which side siblings are counted. */
  readonly side: 'prev' | 'next';
  readonly sameName: boolean;
}

export const NTH: ReadonlyMap<string, NthKind> = new Map<string, NthKind>([
  ['nth-child', { side: 'prev', sameName: false }],
  ['nth-last-child', { side: 'next', sameName: false }],
  ['nth-of-type', { side: 'prev', sameName: true }],
  ['nth-last-of-type', { side: 'next', sameName: true }],
]);

/** `:nth-child(an+b)` and its like. Throws when the formula is wrong. */
export function nth({ side, sameName }: NthKind, formula: string): Matcher {
  const accepts = parseFormula(formula);
  // As in css-select: what has no parent element is no child, if that is all that is asked.
  if (accepts === 'all') return (element) => parentElement(element) !== null;
  return (element) => accepts(countSiblings(element, side, sameName));
}

/** `:nth-child(an+b of S)` and `:nth-last-child(an+b of S)`. Throws when the formula is wrong. */
export function nthOf({ side }: NthKind, formula: string, matches: Matcher, effort: QueryEffort): Matcher {
  const accepts = parseFormula(formula);
  const known = effort.keep(new Map<ParentNode, ReadonlyMap<Element, number>>());
  const countBeside = (element: Element) => {
    let count = 0;
    for (let node = element[side]; node !== null; node = node[side]) {
      effort.steps++;
      if (isElement(node) && matches(node)) count++;
    }
    return count;
  };
  const placeOf = (element: Element) => {
    const { parent } = element;
    if (!effort.isHeavy || parent === null) return countBeside(element);
    let places = known.get(parent);
    if (places === undefined) {
      const counted = parent.children.filter(isElement).filter(matches);
      if (side === 'next') counted.reverse();
      places = new Map(counted.map((sibling, place) => [sibling, place]));
      known.set(parent, places);
    }
    return places.get(element) ?? 0;
  };
  return (element) => matches(element) && (accepts === 'all' || accepts(placeOf(element)));
}

const FORMULA = /^(?:([+-]?\d*)n(?:\s*([+-]?)\s*(\d+))?|([+-]?\d+))$/;

/** Whether a number of siblings, from 0, is one of an+b-1 for n = 0, 1, … */
function parseFormula(text: string): ((count: number) => boolean) | 'all' {
  const formula = text.trim().toLowerCase();
  if (formula === 'even') return (count) => count % 2 === 1;
  if (formula === 'odd') return (count) => count % 2 === 0;
  const parts = FORMULA.exec(formula);
  if (parts === null) throw new Error(`n-th rule couldn't be parsed ('${text}')`);
  const [, factor, sign = '', summand = '0', only] = parts;
  const step = factor === undefined ? 0 : Number(/\d/.test(factor) ? factor : `${factor}1`);
  const first = Number(only ?? `${sign}${summand}`) - 1;
  if (step === 0) return (count) => count === first;
  if (step === 1 && first < 0) return 'all';
  return (count) => (count - first) % step === 0 && (count - first) / step >= 0;
}

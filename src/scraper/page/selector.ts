// What an author writes to point at something: CSS, or XPath 1.0 when it begins with `/`, `./`, `../` or `(`.
// Compiling costs more than selecting, so compiled selectors are kept; beyond a thousand the oldest go.

import type { ParentNode } from 'domhandler';
import { compileXPath, type XPathNode } from '../xpath/xpath.ts';
import { CssQuery } from './css-query.ts';

/** A selector whose language is said, not guessed. */
export interface MarkedSelector {
  readonly kind: 'css' | 'xpath';
  readonly expression: string;
}

/** CSS or XPath 1.0: an expression that begins with `/`, `./`, `../` or `(` is XPath, unless it is marked. */
export type Selector = string | MarkedSelector;

/** Marks an expression as CSS. */
export function css(expression: string): MarkedSelector {
  return { kind: 'css', expression };
}

/** Marks an expression as XPath 1.0, for one that would be taken for CSS: `xpath('id("cases")/tr')`. */
export function xpath(expression: string): MarkedSelector {
  return { kind: 'xpath', expression };
}

/** Selects nodes below (or, in XPath, from) a node, in document order. */
export interface Query {
  select(top: ParentNode): readonly XPathNode[];
}

const XPATH_START = /^\s*(?:\.{0,2}\/|\(|\.\.\s*$)/;

export function markSelector(selector: Selector): MarkedSelector {
  if (typeof selector !== 'string') return selector;
  return { kind: XPATH_START.test(selector) ? 'xpath' : 'css', expression: selector };
}

const MOST_KEPT = 1_000;
const keptForHtml = new Map<string, CssQuery>();
const keptForXml = new Map<string, CssQuery>();

/** The compiled selector. Throws `selector_syntax` when it is wrong. */
export function compileSelector(selector: Selector, xml: boolean): Query {
  const { kind, expression } = markSelector(selector);
  return kind === 'xpath' ? compileXPath(expression) : compileCss(expression, xml);
}

function compileCss(expression: string, xml: boolean): CssQuery {
  const kept = xml ? keptForXml : keptForHtml;
  const known = kept.get(expression);
  if (known !== undefined) return known;
  const query = new CssQuery(expression, xml);
  if (kept.size >= MOST_KEPT) kept.delete(kept.keys().next().value ?? '');
  kept.set(expression, query);
  return query;
}

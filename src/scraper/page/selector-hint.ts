// What may help the person who mends a selector that matched nothing. Runs only when a page did not fit.

import type { ParentNode } from 'domhandler';
import { compileSelector, type MarkedSelector } from './selector.ts';

/** Tags, classes and ids separated by spaces: selectors that can be shortened from the right. */
const PLAIN_CSS = /^[\w.#-]+(?: +[\w.#-]+)*$/;

/** A sentence about the nearest thing that does match, or undefined when nothing useful can be said. */
export function selectorHint({ kind, expression }: MarkedSelector, top: ParentNode, xml: boolean): string | undefined {
  const count = (selector: string) => compileSelector(selector, xml).select(top).length;
  if (/\btbody\b/.test(expression) && count('tbody') === 0) {
    return "The page's source has no <tbody>: browsers add it by themselves. Leave it out of the selector.";
  }
  if (kind === 'xpath' || !PLAIN_CSS.test(expression)) return undefined;
  for (const [missing, wider] of shortenings(expression)) {
    const found = count(wider);
    if (found > 0) return `There are ${found} \`${wider}\`, but no \`${missing}\`.`;
  }
  return undefined;
}

/** Pairs of a selector that failed and the next wider one: `table.cases tr`, `table.cases`, `table`. */
function* shortenings(selector: string): Generator<[missing: string, wider: string]> {
  const parts = selector.split(/ +/);
  for (let missing = selector; ; ) {
    const last = parts.pop();
    if (last === undefined) return;
    const tag = /^[\w-]+(?=[.#])/.exec(last)?.[0];
    for (const wider of [...(tag === undefined ? [] : [[...parts, tag]]), parts]) {
      if (wider.length === 0) continue;
      yield [missing, wider.join(' ')];
      missing = wider.join(' ');
    }
  }
}

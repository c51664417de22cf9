// A compiled CSS selector. Below an element all of it must match below that element (as if it began with `:scope`), so a
// selector means the same in the page and in a part of it. Content of <template> is not part of the page (as in browsers).

import type { AnyNode, Element, ParentNode } from 'domhandler';
import { ElementType } from 'htmlparser2';
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';
import { type CompiledSelector, compileSelector } from '../css/compile-selector.ts';
import type { Matcher } from '../css/matcher.ts';
import { QueryEffort } from '../css/query-effort.ts';
import { isElement } from '../xpath/xpath-node.ts';

const { Root } = ElementType;

export class CssQuery {
  readonly #selector: string;
  readonly #xml: boolean;
  readonly #effort: QueryEffort;
  readonly #inPage: CompiledSelector;
  #inScope: CompiledSelector | undefined;

  /** Throws `selector_syntax` when the selector cannot be compiled. `effort` is for tests. */
  constructor(selector: string, xml: boolean, effort = new QueryEffort()) {
    this.#selector = selector;
    this.#xml = xml;
    this.#effort = effort;
    this.#inPage = this.#compile(false);
  }

  /** All matching elements below `top`, in document order. A selector that begins with `+` or `~` looks beside `top`. */
  select(top: ParentNode): Element[] {
    const isPage = top.type === Root;
    if (!isPage) this.#inScope ??= this.#compile(true);
    const { matches, reach } = (isPage ? undefined : this.#inScope) ?? this.#inPage;
    const found: Element[] = [];
    this.#effort.top = top;
    try {
      this.#walk(top, matches, found);
      for (let node = reach === 'below' ? null : top.next; node !== null; node = node.next) {
        if (!isElement(node)) continue;
        if (matches(node)) found.push(node);
        if (this.#xml || node.name !== 'template') this.#walk(node, matches, found);
        if (reach === 'next') break;
      }
    } finally {
      this.#effort.end();
    }
    return found;
  }

  /** Adds the matching elements below `top`. */
  #walk(top: ParentNode, matches: Matcher, found: Element[]): void {
    let node: AnyNode | null = top.children[0] ?? null;
    while (node !== null) {
      let first: AnyNode | undefined;
      if (isElement(node)) {
        if (matches(node)) found.push(node);
        if (this.#xml || node.name !== 'template') first = node.children[0];
      }
      if (first !== undefined) {
        node = first;
        continue;
      }
      while (node.next === null) {
        node = node.parent;
        if (node === null || node === top) return;
      }
      node = node.next;
    }
  }

  #compile(scoped: boolean): CompiledSelector {
    const selector = this.#selector;
    try {
      if (selector.trim() === '') throw new Error('It is empty');
      return compileSelector(selector, this.#xml, scoped, this.#effort);
    } catch (cause) {
      throw new CurlewError(ErrorCode.selectorSyntax, `CSS selector ${JSON.stringify(selector)}: ${messageOf(cause)}`, {
        remedy: "Correct the selector. If it is meant as XPath, write it as xpath('…').",
        cause,
      });
    }
  }
}

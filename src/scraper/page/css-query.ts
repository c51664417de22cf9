// A compiled CSS selector. Below an element all of it must match below that element (as if it began with `:scope`), so a
// selector means the same in the page and in a part of it. Content of <template> is not part of the page (as in browsers).

import { _compileUnsafe, type Options } from 'css-select';
import { type AnyNode, Element, type ParentNode } from 'domhandler';
import { DomUtils, ElementType } from 'htmlparser2';
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';
import { isElement } from '../xpath/xpath-node.ts';

const { Root } = ElementType;

type Matcher = ReturnType<typeof _compileUnsafe<AnyNode, Element>>;

/** Stands for the scope when compiling: an element inside of another, which is how css-select knows a true scope. */
const NO_SCOPE = new Element('scope', {});
NO_SCOPE.parent = new Element('parent', {});

export class CssQuery {
  readonly #selector: string;
  readonly #inPage: Matcher;
  /** What NO_SCOPE stands for while a query runs. */
  #scope: AnyNode | undefined;
  readonly #xml: boolean;
  #inScope: Matcher | undefined;

  /** Throws `selector_syntax` when the selector cannot be compiled. */
  constructor(selector: string, xml: boolean) {
    this.#selector = selector;
    this.#xml = xml;
    this.#inPage = compile(selector, { xmlMode: xml });
  }

  /** All matching elements below `top`, in document order. A selector that begins with `+` or `~` looks beside `top`. */
  select(top: ParentNode): Element[] {
    if (top.type === Root) return this.#walk(top, this.#inPage);
    this.#inScope ??= this.#compileForScope();
    this.#scope = top;
    try {
      return this.#walk(top, this.#inScope);
    } finally {
      // The compiled selector outlives the page, and must not keep it in memory.
      this.#scope = undefined;
    }
  }

  #compileForScope(): Matcher {
    const equals = (a: AnyNode, b: AnyNode) => (a === NO_SCOPE ? this.#scope : a) === b;
    return compile(this.#selector, {
      xmlMode: this.#xml,
      context: NO_SCOPE,
      adapter: { ...DomUtils, isTag: isElement, equals },
      // Results depend on the scope, so they cannot be kept by element.
      cacheResults: false,
    });
  }

  #walk(top: ParentNode, matches: Matcher): Element[] {
    const found: Element[] = [];
    const end = matches.shouldTestNextSiblings ? top.parent : top;
    let node: AnyNode = top;
    for (;;) {
      const first: AnyNode | undefined = node === top ? top.children[0] : this.#firstChild(node);
      if (first !== undefined) {
        node = first;
      } else {
        while (node.next === null || node === end) {
          if (node === end || node.parent === null || node.parent === end) return found;
          node = node.parent;
        }
        node = node.next;
      }
      if (isElement(node) && matches(node)) found.push(node);
    }
  }

  #firstChild(node: AnyNode): AnyNode | undefined {
    return isElement(node) && (this.#xml || node.name !== 'template') ? node.children[0] : undefined;
  }
}

function compile(selector: string, options: Options<AnyNode, Element>): Matcher {
  try {
    if (selector.trim() === '') throw new Error('It is empty');
    return _compileUnsafe<AnyNode, Element>(selector, options);
  } catch (cause) {
    throw new CurlewError(ErrorCode.selectorSyntax, `CSS selector ${JSON.stringify(selector)}: ${messageOf(cause)}`, {
      remedy: "Correct the selector. If it is meant as XPath, write it as xpath('…').",
      cause,
    });
  }
}

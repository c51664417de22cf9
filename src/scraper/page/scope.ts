// Reading a page, or a part of it. Every query is checked: what is not there as often as the step says is a
// StructureError, never an empty value. Results are in document order.

import type { Element as ElementNode, ParentNode } from 'domhandler';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { compileXPath, stringValue, type XPathNode } from '../xpath/xpath.ts';
import { isElement } from '../xpath/xpath-node.ts';
import { ANY_NUMBER, AT_MOST_ONE, type Bounds, describeBounds, EXACTLY_ONE, isWithin } from './bounds.ts';
import { Form } from './form.ts';
import { addressOf, Link, type Target, targetOf } from './link.ts';
import { normaliseText } from './normalise-text.ts';
import type { Origin } from './origin.ts';
import { compileSelector, markSelector, type Selector } from './selector.ts';
import { selectorHint } from './selector-hint.ts';
import { StructureError } from './structure-error.ts';
import { visibleLines, visibleText } from './visible-text.ts';

/**
 * What a page and an element have in common. Selectors are CSS, or XPath 1.0 when they begin with `/`, `./`, `../` or `(`
 * (or are marked with `xpath(…)`). In an element CSS matches below it; XPath starts from it, so `.//a` is below it
 * while `//a` is anywhere in the page.
 */
export abstract class Scope {
  /** @internal */
  protected abstract readonly origin: Origin;
  /** @internal */
  protected abstract readonly node: ParentNode;

  /** The one element that matches. */
  one(selector: Selector): Element {
    return this.#toElement(this.#selectOne(selector), selector);
  }

  /** The element that matches, or undefined when there is none. Two or more are an error. */
  maybe(selector: Selector): Element | undefined {
    const [node] = this.#select(selector, AT_MOST_ONE);
    return node && this.#toElement(node, selector);
  }

  /** All elements that match. */
  all(selector: Selector, bounds: Bounds = ANY_NUMBER): Element[] {
    return this.#select(selector, bounds).map((node) => this.#toElement(node, selector));
  }

  /**
   * The text of the one match (element, attribute or text node), or of this itself when no selector is given, as a
   * reader sees it on one line: white space collapsed, hidden content left out, line breaks and blocks as spaces.
   */
  text(selector?: Selector): string {
    return this.#textOf(selector === undefined ? this.node : this.#selectOne(selector));
  }

  /** The texts of all matches, each as `text` gives it. */
  texts(selector: Selector, bounds: Bounds = ANY_NUMBER): string[] {
    return this.#select(selector, bounds).map((node) => this.#textOf(node));
  }

  /** Like `text`, but broken into lines where a browser would break them. Empty lines are left out. */
  lines(selector?: Selector): string[] {
    const node = selector === undefined ? this.node : this.#selectOne(selector);
    return hasVisibleText(node) ? visibleLines(node, this.origin.tree.xml) : [this.#textOf(node)].filter(Boolean);
  }

  /** All text of the one match, or of this itself, exactly as it stands in the source, scripts and hidden parts included. */
  rawText(selector?: Selector): string {
    return stringValue(selector === undefined ? this.node : this.#selectOne(selector));
  }

  /** The value of an attribute of the one element that matches. It is an error when it has no such attribute. */
  attr(selector: Selector, name: string): string {
    const element = this.one(selector);
    const value = element.attribute(name);
    if (value !== undefined) return value;
    throw new StructureError(this.origin, {
      selector: markSelector(selector).expression,
      expected: `an attribute ${name}`,
      actual: `${element}`,
      summary: `\`${markSelector(selector).expression}\` matches ${element}, which has no attribute ${name},`,
    });
  }

  /** The one link that matches; one that cannot be fetched (`javascript:`, no `href`) does not count. */
  link(selector: Selector): Link {
    const { links, matches } = this.#usableLinks(selector);
    const [link] = links;
    if (link !== undefined && links.length === 1) return link;
    throw this.#wrongCount(selector, links.length, EXACTLY_ONE, matches);
  }

  /**
   * The links of all matches: elements with an address (`a`, `area`, `link`, `img`, `iframe`, …), attributes (`//a/@href`),
   * in XML also elements whose text is an address. What cannot be fetched (`javascript:`, `mailto:`, no `href`) is left
   * out before counting. An address that is no URL is an error, and so is an element that never has one.
   */
  links(selector: Selector, bounds: Bounds = ANY_NUMBER): Link[] {
    const { links, matches } = this.#usableLinks(selector);
    if (isWithin(links.length, bounds)) return links;
    throw this.#wrongCount(selector, links.length, bounds, matches);
  }

  /** @internal Where every match leads, also those that lead nowhere. */
  targets(selector: Selector): (Target & { readonly element: Element })[] {
    return this.#matches(selector).map((node) => ({
      ...targetOf(node, this.origin),
      element: this.#toElement(bearerOf(node), selector),
    }));
  }

  /** The form that matches; by default the only one there is. */
  form(selector: Selector = 'form'): Form {
    const node = this.#selectOne(selector);
    return new Form(node, markSelector(selector).expression, this.origin);
  }

  /** The value of an XPath expression: text, number, truth, or elements. */
  xpath(expression: string): string | number | boolean | Element[] {
    const value = compileXPath(expression).evaluate(this.node);
    return value.kind === 'nodes' ? value.nodes.map((node) => this.#toElement(node, expression)) : value.value;
  }

  /** The absolute form of an address as it is written on this page. */
  absolute(address: string): string {
    const url = URL.parse(address, this.origin.baseUrl);
    if (url !== null) return url.href;
    throw new CurlewError(ErrorCode.invalidRequest, `${JSON.stringify(address)} is no address on ${this.origin.url}`, {
      remedy: 'Give an address as it would stand in a link.',
    });
  }

  #matches(selector: Selector): readonly XPathNode[] {
    return compileSelector(selector, this.origin.tree.xml).select(this.node);
  }

  #select(selector: Selector, bounds: Bounds): readonly XPathNode[] {
    const nodes = this.#matches(selector);
    if (isWithin(nodes.length, bounds)) return nodes;
    throw this.#wrongCount(selector, nodes.length, bounds, nodes.length);
  }

  #selectOne(selector: Selector): XPathNode {
    const nodes = this.#matches(selector);
    const [node] = nodes;
    if (node !== undefined && nodes.length === 1) return node;
    throw this.#wrongCount(selector, nodes.length, EXACTLY_ONE, nodes.length);
  }

  #usableLinks(selector: Selector): { readonly links: Link[]; readonly matches: number } {
    const { expression } = markSelector(selector);
    const nodes = this.#matches(selector);
    const links: Link[] = [];
    for (const node of nodes) {
      const url = addressOf(node, expression, this.origin);
      if (url !== undefined) links.push(new Link(url, this.#toElement(bearerOf(node), selector)));
    }
    return { links, matches: nodes.length };
  }

  #textOf(node: XPathNode): string {
    return hasVisibleText(node) ? visibleText(node, this.origin.tree.xml) : normaliseText(stringValue(node));
  }

  #toElement(node: XPathNode, selector: Selector): Element {
    if (isElement(node)) return new Element(node, this.origin);
    const { expression } = markSelector(selector);
    throw new CurlewError(
      ErrorCode.selectorSyntax,
      `\`${expression}\` selects a node of type ${node.type}, no element.`,
      {
        remedy: 'Read attributes and text nodes with text, texts, link or links.',
      },
    );
  }

  #wrongCount(selector: Selector, count: number, bounds: Bounds, matches: number): StructureError {
    const marked = markSelector(selector);
    const expected = describeBounds(bounds);
    const what =
      count === matches
        ? `matches ${count} ${count === 1 ? 'time' : 'times'}`
        : `matches ${matches} times, of which ${count} can be fetched,`;
    const inside = isElement(this.node) ? ` in ${this}` : '';
    return new StructureError(this.origin, {
      selector: marked.expression,
      expected,
      actual: String(count),
      summary: `\`${marked.expression}\` ${what} instead of ${expected}${inside}`,
      hint: matches === 0 ? selectorHint(marked, this.node, this.origin.tree.xml) : undefined,
    });
  }
}

/** One element of a page. */
export class Element extends Scope {
  // Private, so that an element in a log line is not its whole page.
  readonly #node: ElementNode;
  readonly #origin: Origin;

  /** @internal Elements are made by the queries of a page. */
  constructor(node: ElementNode, origin: Origin) {
    super();
    this.#node = node;
    this.#origin = origin;
  }

  /** @internal */
  protected override get node(): ElementNode {
    return this.#node;
  }

  /** @internal */
  protected override get origin(): Origin {
    return this.#origin;
  }

  /** The element's name; in lower case unless the page is XML. */
  get tag(): string {
    return this.#node.name;
  }

  /** The value of the element's own attribute as written, or undefined. */
  attribute(name: string): string | undefined {
    const key = this.#origin.tree.xml ? name : name.toLowerCase();
    return Object.hasOwn(this.#node.attribs, key) ? this.#node.attribs[key] : undefined;
  }

  /** The start tag with what identifies it, for messages: `<tr class="odd">`. */
  override toString(): string {
    const marks = ['id', 'class', 'name'].flatMap((name) => {
      const value = this.attribute(name);
      return value === undefined ? [] : [` ${name}=${JSON.stringify(value)}`];
    });
    return `<${this.tag}${marks.join('')}>`;
  }
}

function hasVisibleText(node: XPathNode): node is ParentNode {
  return isElement(node) || node.type === 'root';
}

/** The element that an address was read from. */
function bearerOf(node: XPathNode): XPathNode {
  if (node.type === 'attribute') return node.owner;
  return isElement(node) ? node : (node.parent ?? node);
}

// From source to tree. The tree never gets deeper than 512 levels, as in Blink: an element that would be deeper is attached
// higher up, so that no page can make a selector quadratic or overflow a stack. No element and no text is lost.
// The number of nodes and attributes is bounded, and so is the memory of a tree (about 1 GB at worst).
// Forms torn apart by other elements keep their controls, as the HTML standard's form element pointer has it.
// Character references are decoded here and not by htmlparser2, which would look at every character of a text for one: so a
// judgment is parsed in two thirds of the time. The tree is the same.

import {
  type ChildNode,
  type Document,
  DomHandler,
  type DomHandlerOptions,
  Element,
  type ParentNode,
} from 'domhandler';
import { decodeHTML, decodeHTMLAttribute, decodeXML } from 'entities/decode';
import { Parser, type ParserOptions } from 'htmlparser2';
import { type PageReference, StructureError } from './structure-error.ts';

const DEEPEST = 512;
/** How far up an element goes that would be too deep: far, so that what is inside of it can stay together. */
const CLIMB = 256;
/** htmlparser2 keeps open elements in an array that it shifts: beyond this, a page could occupy it for minutes. */
const MOST_OPEN = 2 ** 17;
/** It looks through them for each end tag and form: so many times, in all, for tags that have no effect. */
const MOST_LOOKED_THROUGH = 200_000_000;
/** A node takes 100 to 500 bytes and 3 bytes of source: without a bound, 32 KB of gzip become a tree of 4 GB. */
const MOST_NODES = 2_000_000;
/** An attribute takes up to 200 bytes and 2 bytes of source. */
const MOST_ATTRIBUTES = 2_000_000;

export type Markup = 'html' | 'xhtml' | 'xml';

export interface Tree {
  readonly document: Document;
  /** True when names are case-sensitive and no element has a meaning of its own. */
  readonly xml: boolean;
  /** The value of the first `<base href>`, as written. */
  readonly baseHref: string | undefined;
  /** The forms of those controls that lie outside of their form, because its element was closed too early. */
  readonly strayControls: ReadonlyMap<Element, Element>;
}

const OPTIONS: Readonly<Record<Markup, ParserOptions & { xmlMode: boolean }>> = {
  html: { xmlMode: false, decodeEntities: false },
  xhtml: { xmlMode: false, decodeEntities: false, recognizeSelfClosing: true, recognizeCDATA: true },
  xml: { xmlMode: true, decodeEntities: false },
};

/** Elements of HTML in which nothing but their end has a meaning. */
const RAW: ReadonlySet<string> = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'plaintext']);

const HTML_DECODER = { text: decodeHTML, attribute: decodeHTMLAttribute };
const XML_DECODER = { text: decodeXML, attribute: decodeXML };

/**
 * Parses `source`. Never fails, whatever the source, unless it has more than 2 million nodes or attributes, opens
 * 131,072 elements without closing one, or has too many tags without effect inside of very many elements: then it throws a StructureError as soon as that is reached.
 */
export function parseTree(source: string, markup: Markup, page: PageReference): Tree {
  const builder = new TreeBuilder(page, OPTIONS[markup]);
  new PageParser(source, builder, OPTIONS[markup]).end(source);
  const { root: document, baseHref, strayControls } = builder;
  return { document, xml: markup === 'xml', baseHref, strayControls };
}

class TreeBuilder extends DomHandler {
  /** Whether text is taken as it is written. */
  verbatim = false;
  baseHref: string | undefined;
  readonly strayControls = new Map<Element, Element>();
  /** A form whose element is closed although no `</form>` was met. */
  #tornForm: Element | undefined;
  /** The depth of each node in `tagStack`. */
  readonly #depths = [0];
  readonly #page: PageReference;
  #nodes = 0;
  #attributes = 0;
  #lookedThrough = 0;
  readonly #decoder: typeof HTML_DECODER;

  constructor(page: PageReference, options: DomHandlerOptions) {
    super(null, options);
    this.#page = page;
    this.#decoder = options.xmlMode ? XML_DECODER : HTML_DECODER;
  }

  /** Told of every `</form>`, also of one whose form is closed already. */
  onFormEnd(): void {
    this.#tornForm = undefined;
  }

  get openElements(): number {
    return this.#depths.length;
  }

  /** Told of a tag that changed nothing, after all open elements were looked through for its name. */
  onTagWithoutEffect(): void {
    this.#lookedThrough += this.openElements;
    if (this.#lookedThrough > MOST_LOOKED_THROUGH) throw tooManyWithoutEffect(this.#page);
  }

  /** Told of every attribute when it is read: one start tag can have millions. */
  onattribute(): void {
    if (++this.#attributes > MOST_ATTRIBUTES) throw tooMany(this.#page, MOST_ATTRIBUTES, 'attributes');
  }

  isInRaw(): boolean {
    const open = this.tagStack.at(-1);
    return open instanceof Element && RAW.has(open.name);
  }

  override ontext(data: string): void {
    super.ontext(this.verbatim || !data.includes('&') ? data : this.#decoder.text(data));
  }

  override onopentag(name: string, attribs: { [key: string]: string }): void {
    for (const key in attribs) {
      const value = attribs[key];
      if (value?.includes('&')) attribs[key] = this.#decoder.attribute(value);
    }
    super.onopentag(name, attribs);
    if (this.#depths.length > MOST_OPEN) throw tooDeep(this.#page);
    if (name === 'form') this.#tornForm = undefined;
    else if (name === 'base') this.baseHref ??= attribs.href;
    else if (this.#tornForm !== undefined && isControl(name)) {
      const control = this.tagStack.at(-1);
      if (control instanceof Element) this.strayControls.set(control, this.#tornForm);
    }
  }

  override onclosetag(name?: string, implied?: boolean): void {
    const closed = this.tagStack.at(-1);
    super.onclosetag();
    this.#depths.pop();
    if (name === 'form' && implied && closed instanceof Element) this.#tornForm = closed;
  }

  protected override addNode(node: ChildNode): void {
    if (++this.#nodes > MOST_NODES) throw tooMany(this.#page, MOST_NODES, 'nodes');
    if (!(node instanceof Element)) return void super.addNode(node);
    const depth = this.#depths.at(-1) ?? 0;
    if (depth < DEEPEST) {
      super.addNode(node);
      this.#depths.push(depth + 1);
    } else {
      const { tagStack } = this;
      this.tagStack = [this.#ancestorOfLast()];
      super.addNode(node);
      this.tagStack = tagStack;
      this.#depths.push(depth - CLIMB + 1);
    }
  }

  #ancestorOfLast(): ParentNode {
    let ancestor: ParentNode = this.tagStack.at(-1) ?? this.root;
    for (let step = 0; step < CLIMB; step++) ancestor = ancestor.parent ?? ancestor;
    return ancestor;
  }
}

/** Sees what the handler is not told of: end tags without a start, and which text has no character references. */
class PageParser extends Parser {
  readonly #source: string;
  readonly #builder: TreeBuilder;
  readonly #xml: boolean;

  constructor(source: string, builder: TreeBuilder, options: ParserOptions & { xmlMode: boolean }) {
    super(builder, options);
    this.#xml = options.xmlMode;
    this.#source = source;
    this.#builder = builder;
  }

  override onopentagend(end: number): void {
    super.onopentagend(end);
    this.#builder.verbatim = !this.#xml && !this.isInForeignContext() && this.#builder.isInRaw();
  }

  override oncdata(start: number, end: number, offset: number): void {
    this.#builder.verbatim = true;
    super.oncdata(start, end, offset);
    this.#builder.verbatim = false;
  }

  override onopentagname(start: number, end: number): void {
    super.onopentagname(start, end);
    if (end - start === 4 && this.#source.slice(start, end).toLowerCase() === 'form')
      this.#builder.onTagWithoutEffect();
  }

  override onclosetag(start: number, end: number): void {
    this.#builder.verbatim = false;
    const before = this.#builder.openElements;
    super.onclosetag(start, end);
    if (this.#builder.openElements === before) this.#builder.onTagWithoutEffect();
    if (end - start === 4 && this.#source.slice(start, end).toLowerCase() === 'form') this.#builder.onFormEnd();
  }
}

function isControl(name: string): boolean {
  return name === 'input' || name === 'select' || name === 'textarea' || name === 'button';
}

function tooMany(page: PageReference, most: number, what: 'nodes' | 'attributes'): StructureError {
  const limit = `${most.toLocaleString('en')} ${what}`;
  return new StructureError(page, {
    expected: `at most ${limit}`,
    actual: 'more',
    summary: `The page has more than ${limit}, too many to build a tree,`,
    hint: 'Such a page can only be read as text, through page.source.',
  });
}

function tooManyWithoutEffect(page: PageReference): StructureError {
  return new StructureError(page, {
    expected: 'end tags that close something',
    actual: 'others',
    summary:
      'Thousands of elements are open, and inside are too many tags without effect (ends of nothing, forms in forms)',
    hint: 'Such a page can only be read as text, through page.source.',
  });
}

function tooDeep(page: PageReference): StructureError {
  return new StructureError(page, {
    expected: `at most ${MOST_OPEN} open elements`,
    actual: 'more',
    summary: `More than ${MOST_OPEN} elements are opened and none of them closed`,
    hint: 'Such a page can only be read as text, through page.source.',
  });
}

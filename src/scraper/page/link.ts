// Where a node leads. Addresses are resolved as a browser would: against <base> and the final URL, white space stripped.
// What cannot be fetched (javascript:, mailto:, an <a> without href) is not a link; what cannot be a link is an error.

import { isPlainPath, rootOf } from '../canonical-url.ts';
import { stringValue, type XPathNode } from '../xpath/xpath.ts';
import { isElement } from '../xpath/xpath-node.ts';
import { isFetchable, type Origin } from './origin.ts';
import type { Element } from './scope.ts';
import { StructureError } from './structure-error.ts';

/** A place that a page refers to. Can be given to `get` and `download` as it is. */
export class Link {
  /** Absolute, http or https, with its fragment. */
  readonly url: string;
  /** The element that bears the address. */
  readonly element: Element;

  /** @internal Links are made by the queries of a page. */
  constructor(url: string, element: Element) {
    this.url = url;
    this.element = element;
  }

  /** The visible text of the element. */
  get text(): string {
    return this.element.text();
  }
}

/** The attribute that holds the address, by element. */
const ADDRESS_ATTRIBUTE: ReadonlyMap<string, string> = new Map([
  ...['a', 'area', 'link'].map((name) => [name, 'href'] as const),
  ...['audio', 'embed', 'frame', 'iframe', 'img', 'input', 'script', 'source', 'track', 'video'].map(
    (name) => [name, 'src'] as const,
  ),
  ['object', 'data'],
]);

/** The absolute URL that `node` leads to; undefined when it has none, or one that cannot be fetched. */
export function addressOf(node: XPathNode, selector: string, origin: Origin): string | undefined {
  const written = writtenAddress(node, selector, origin);
  if (written === undefined) return undefined;
  const root = isPlainPath(written) ? rootOf(origin.baseUrl) : undefined;
  if (root !== undefined) return root + written;
  const url = URL.parse(written, origin.baseUrl);
  if (url === null) {
    throw new StructureError(origin, {
      selector,
      expected: 'a valid address',
      actual: written,
      summary: `\`${selector}\` leads to ${JSON.stringify(written)}, which is no address`,
      hint: 'Leave this link out by a narrower selector.',
    });
  }
  return isFetchable(url.protocol) ? url.href : undefined;
}

/** Where a node leads, and as what that is written there; either is undefined when there is none. */
export interface Target {
  readonly written: string | undefined;
  /** Absolute; undefined when it cannot be fetched. A fragment of the page itself leads nowhere. */
  readonly url: string | undefined;
}

/** The same for whatever node: also of what is no link, and never an error. */
export function targetOf(node: XPathNode, origin: Origin): Target {
  const written = addressIn(node, origin);
  const address = written?.trim();
  if (address === undefined || address === '' || address.startsWith('#')) return { written, url: undefined };
  const url = URL.parse(address, origin.baseUrl);
  return { written, url: url !== null && isFetchable(url.protocol) ? url.href : undefined };
}

function addressIn(node: XPathNode, origin: Origin): string | undefined {
  if (!isElement(node)) return stringValue(node);
  // Feeds and sitemaps: <link href="…"/>, <loc>…</loc>.
  if (origin.tree.xml) return node.attribs.href ?? stringValue(node);
  const attribute = ADDRESS_ATTRIBUTE.get(node.name);
  return attribute === undefined ? undefined : node.attribs[attribute];
}

function writtenAddress(node: XPathNode, selector: string, origin: Origin): string | undefined {
  if (!isElement(node) || origin.tree.xml || ADDRESS_ATTRIBUTE.has(node.name)) return addressIn(node, origin);
  throw new StructureError(origin, {
    selector,
    expected: 'a link',
    actual: `<${node.name}>`,
    summary: `\`${selector}\` matches a <${node.name}>, which has no address`,
    hint: `Select the link itself, as in \`${selector} a\`.`,
  });
}

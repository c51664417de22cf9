// What every part of one page refers back to. Text and tree are made when they are first asked for, and once: a page whose
// step only looks at its status, bytes or JSON costs no tree.

import { headerValue } from '../../fetch/http/header-list.ts';
import { type DecodedText, decodeText } from './decode-text.ts';
import { type Markup, parseTree, type Tree } from './parse-tree.ts';
import type { PageReference } from './structure-error.ts';

/** An answer, as the engine hands it over. */
export interface PageSource {
  /** The final URL, after redirects. */
  readonly url: string;
  /** The URL that was asked for. */
  readonly requestUrl: string;
  readonly status: number;
  /** Names and values as received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, with its content coding removed. */
  readonly body: Uint8Array;
  /** Where the body is archived; named in structure errors. */
  readonly archivedAs?: string | undefined;
}

export class Origin implements PageReference {
  readonly source: PageSource;
  readonly url: string;
  #decoded: DecodedText | undefined;
  #tree: Tree | undefined;
  #baseUrl: string | undefined;

  constructor(source: PageSource) {
    this.source = source;
    this.url = source.url;
  }

  get archivedAs(): string | undefined {
    return this.source.archivedAs;
  }

  /** The media type without parameters, in lower case. */
  get mediaType(): string | undefined {
    return headerValue(this.source.headers, 'content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  }

  get decoded(): DecodedText {
    this.#decoded ??= decodeText(this.source.body, headerValue(this.source.headers, 'content-type'));
    return this.#decoded;
  }

  get tree(): Tree {
    this.#tree ??= parseTree(this.decoded.text, markupOf(this.mediaType), this);
    return this.#tree;
  }

  /** What addresses on the page are relative to: `<base href>` if there is a usable one, else the final URL. */
  get baseUrl(): string {
    this.#baseUrl ??= this.#findBaseUrl();
    return this.#baseUrl;
  }

  // HTML standard §4.2.3: a base that is no URL, or a data: or javascript: one, is ignored.
  #findBaseUrl(): string {
    const { baseHref, xml } = this.tree;
    if (baseHref === undefined || xml) return this.url;
    const base = URL.parse(baseHref, this.url);
    return base === null || !isFetchable(base.protocol) ? this.url : base.href;
  }
}

/** Whether an address with that scheme (`https:`) can be fetched at all. */
export function isFetchable(protocol: string): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

function markupOf(mediaType = ''): Markup {
  if (mediaType === 'application/xhtml+xml') return 'xhtml';
  return mediaType.endsWith('+xml') || mediaType === 'text/xml' || mediaType === 'application/xml' ? 'xml' : 'html';
}

// The redirects of the documents of one load, held to the rules of plain HTTP before Chromium, which has wider ones, gets
// to follow them. A document that a redirect led to goes on with its chain; any other, a script's say, begins one.

import { decideRedirect, hopKey } from '../http/redirect.ts';
import type { HeaderList } from '../outcome.ts';
import { BrowserError } from './browser-result.ts';

export interface DocumentRequest {
  readonly method: string;
  readonly url: URL;
  readonly cookie: string | undefined;
}

/** The requests for documents that led to one another, the newest included. */
export type RedirectChain = ReadonlySet<string>;

export class RedirectChains {
  readonly #most: number | undefined;
  /** By where they lead next. */
  readonly #open = new Map<string, RedirectChain>();

  /** `most`: how many redirects are followed in a row. Default as for plain HTTP. */
  constructor(most: number | undefined) {
    this.#most = most;
  }

  /** Takes in a request. Throws `bad_redirect` when its chain has been there before. */
  enter({ method, url, cookie }: DocumentRequest): RedirectChain {
    const place = placeOf(url);
    const chain = this.#open.get(place) ?? new Set();
    this.#open.delete(place);
    const key = hopKey(method, url, cookie);
    if (chain.has(key)) throw new BrowserError('bad_redirect', 'it redirects in a circle');
    return new Set([...chain, key]);
  }

  /** Takes in the answer to a request. Throws `bad_redirect` when it is a redirect that plain HTTP would not follow. */
  answered(chain: RedirectChain, { method, url }: DocumentRequest, status: number, responseHeaders: HeaderList): void {
    const followed = chain.size - 1;
    const question = { status, responseHeaders, url, method, requestHeaders: [], followed, most: this.#most };
    const decision = decideRedirect(question);
    if (decision.kind === 'refused') throw new BrowserError('bad_redirect', decision.reason);
    if (decision.kind === 'follow') this.#open.set(placeOf(decision.url), chain);
  }
}

// Without the scheme: to some hosts Chromium goes with https only, whatever the redirect says.
function placeOf({ host, pathname, search }: URL): string {
  return `${host}${pathname}${search}`;
}

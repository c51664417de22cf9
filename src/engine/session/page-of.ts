// An answer as the author's functions look at it outside of a step. It is archived nowhere that could be named.

import type { FetchedExchange } from '../../fetch/outcome.ts';
import { Page } from '../../scraper/page/page.ts';

const NO_BYTES = new Uint8Array();

export function pageOf({ url, status, responseHeaders: headers, body }: FetchedExchange, requestUrl: string): Page {
  return new Page({ url, requestUrl, status, headers, body: body.kind === 'memory' ? body.decoded : NO_BYTES });
}

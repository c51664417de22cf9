// The scraper behind `curlew fetch`: asks for every address of a list, and notes what came. It is an ordinary one, so that
// its runs can be shown, exported, resumed and replayed like any other.

import { z } from 'zod';
import { entry } from '../scraper/entry.ts';
import type { Page } from '../scraper/page/page.ts';
import { record } from '../scraper/record.ts';
import { get } from '../scraper/request.ts';
import { Scraper } from '../scraper/scraper.ts';

/** Where a resume finds this scraper again. */
export const URL_LIST_FILE = import.meta.filename;

/** A page that was fetched; size and hash are those of its content without any content coding. */
const FetchedPage = z.object({
  url: z.string(),
  finalUrl: z.string(),
  status: z.int(),
  contentType: z.string().optional(),
  size: z.int(),
  sha256: z.string(),
});

export default class UrlList extends Scraper {
  /** The addresses are absolute. */
  readonly baseUrl = 'http://localhost/';

  readonly urls = entry(z.object({ urls: z.array(z.string()) }), ({ urls }) =>
    urls.map((url) => get(url, this.keepPage)),
  );

  *keepPage(page: Page) {
    const { url: finalUrl, requestUrl: url, status, contentType, size, sha256 } = page;
    yield record('page', FetchedPage, { url, finalUrl, status, contentType, size, sha256 });
  }
}

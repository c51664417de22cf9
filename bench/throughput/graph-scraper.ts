// Walks the sim's graph of pages: one record a page, every link followed. As an author would write it, nothing tuned.

import { entry, get, type Page, record, Scraper } from 'curlew';
import { z } from 'zod';

const PageRecord = z.object({ title: z.string().min(1) });

export default class Graph extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';

  all = entry(() => get('/graph/0', this.parsePage));

  *parsePage(page: Page) {
    yield record('page', PageRecord, { title: page.text('title') });
    for (const link of page.links('a')) yield get(link, this.parsePage);
  }
}

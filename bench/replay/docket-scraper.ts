// Reads dockets of 40 KB, as an author would.

import { entry, get, type Page, record, Scraper } from 'curlew';
import { z } from 'zod';

const Entry = z.object({ number: z.string(), title: z.string(), judge: z.string(), filed: z.string() });

export default class Dockets extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';

  all = entry(() => get('/', this.list));

  *list(page: Page) {
    for (const link of page.links('a')) yield get(link, this.docket);
  }

  *docket(page: Page) {
    for (const row of page.all('table.docket tbody tr').slice(0, 20)) {
      const [number, title] = [row.text('.number'), row.text('.title a')];
      yield record('entry', Entry, { number, title, judge: row.text('.judge'), filed: row.text('.filed') });
    }
  }
}

// Two speculators beside an entry that needs a parameter (cli.test.ts).

import { entry, get, type Page, record, Scraper, speculate } from 'curlew';
import { z } from 'zod';

const Case = z.object({ number: z.string() });

export default class ManyWays extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';

  byNumber = speculate({}, (id) => get(`/case/${id}`, this.readCase));
  asJson = speculate({}, (id) => get(`/api/case/${id}`));
  recent = entry(z.object({ since: z.iso.date() }), ({ since }) => get(`/recent?since=${since}`));

  *readCase(page: Page) {
    yield record('case', Case, { number: page.text('.number') });
  }
}

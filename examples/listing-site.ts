// A court whose lists are walked to their end before anything else: all cases of both lists, or no run at all.
//   curlew court
//   curlew sites run examples/listing-site.ts --allow-host 127.0.0.1:8017 --rate off

import { defineSite, type Page, record, Scraper } from 'curlew';
import { z } from 'zod';

const Case = z.object({ number: z.string(), title: z.string().min(1), filed: z.iso.date() });

class CountyCourt extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';

  *parseCase(page: Page) {
    yield record('case', Case, { number: page.text('.number'), title: page.text('h1'), filed: page.text('time') });
  }
}

export default defineSite({
  domain: 'court.example',
  startPages: ['/list/civil', '/list/criminal'],
  list: { items: 'table.cases a', next: 'a.next', total: '.total' },
  scraper: CountyCourt,
  itemStep: 'parseCase',
});

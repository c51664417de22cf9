// The site of the hostile list, for the command line: the environment says where it is, and how its lists are read.

import { defineSite, type Page, record, Scraper } from 'curlew';
import { z } from 'zod';

class HostileCases extends Scraper {
  baseUrl = process.env.HOSTILE_URL ?? 'http://127.0.0.1:1';

  *parseCase(page: Page) {
    yield record('case', z.object({ title: z.string() }), { title: page.text('h1') });
  }
}

const list = JSON.parse(process.env.HOSTILE_LIST ?? '{}');

export default defineSite({
  domain: 'hostile.example',
  startPages: ['/list'],
  list: { items: 'a.case', next: '.next', ...list },
  scraper: HostileCases,
  itemStep: 'parseCase',
});

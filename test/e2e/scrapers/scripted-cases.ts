// Pages that a script fills in, documents through the browser.

import { download, entry, get, type Page, post, record, type SavedFile, Scraper } from 'curlew';
import { z } from 'zod';

const Case = z.object({ number: z.string(), title: z.string().min(1), filed: z.iso.date() });

export default class ScriptedCases extends Scraper {
  baseUrl = 'http://127.0.0.1:1';

  start = entry(() =>
    [1, 2, 3].map((id) => get({ url: `/js/case/${id}`, via: 'browser', waitFor: '.number' }, this.parseCase)),
  );

  wrong = entry(() => [
    get({ url: '/js/case/1', via: 'browser', waitFor: 'h1[' }, this.parseCase),
    post({ url: '/search', via: 'browser' }, { form: { q: 'x' } }, this.parseCase),
    get('/case/1', this.parseCase),
  ]);

  guarded = entry(() => get({ url: 'http://127.0.0.1:59999/x', via: 'browser' }, this.parseCase));

  forbidden = entry(() => get({ url: '/private/x', via: 'browser' }, this.parseCase));

  *parseCase(page: Page) {
    yield record('case', Case, { number: page.text('.number'), title: page.text('h1'), filed: page.text('.filed') });
    for (const pdf of page.links('a.pdf')) yield download({ url: pdf, via: 'browser' }, this.savedPdf);
  }

  *savedPdf(file: SavedFile) {
    yield record('document', z.object({ url: z.string(), bytes: z.number().min(1) }), {
      url: file.url,
      bytes: file.size,
    });
  }
}

// A court that lists its cases page by page. Every case has a page of its own and documents to download.
//   curlew court
//   curlew run examples/county-court.ts --allow-host 127.0.0.1:8017 --rate off

import { download, entry, get, type Page, record, type SavedFile, Scraper } from 'curlew';
import { z } from 'zod';

const Case = z.object({ number: z.string(), title: z.string().min(1), filed: z.iso.date(), judge: z.string() });
const Document = z.object({ number: z.string(), file: z.string(), sha256: z.string(), bytes: z.number().min(1) });

export default class CountyCourt extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';

  civil = entry(() => get('/list/civil', this.parseList));
  criminal = entry(() => get('/list/criminal', this.parseList));
  recent = entry(z.object({ since: z.iso.date() }), ({ since }) => get(`/recent?since=${since}`, this.parseList));

  *parseList(page: Page) {
    for (const link of page.links('table.cases a', { atLeast: 1 })) yield get(link, this.parseCase);
    for (const next of page.links('a.next', { atMost: 1 })) yield get(next, this.parseList);
  }

  *parseCase(page: Page) {
    const number = page.text('.number');
    yield record('case', Case, {
      number,
      title: page.text('h1'),
      filed: page.text('time'),
      judge: page.text('//dd[@class="judge"]'),
    });
    for (const pdf of page.links('a.pdf')) yield download(pdf, this.savedPdf, { number });
  }

  *savedPdf(file: SavedFile, { number }: { number: string }) {
    yield record('document', Document, { number, file: file.path, sha256: file.sha256, bytes: file.size });
  }
}

// Takes over whatever a hostile site says: titles, addresses, names of files, texts of errors.

import { download, entry, get, type Page, record, type SavedFile, Scraper } from 'curlew';
import { z } from 'zod';

const Case = z.object({ title: z.string(), link: z.string() });
const Short = z.object({ title: z.string().max(5) });
const Document = z.object({ file: z.string() });

export default class Hostile extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';

  list = entry(() => get('/', this.parseList));

  *parseList(page: Page) {
    for (const link of page.links('a.case')) yield get(link, this.parseCase);
    for (const link of page.links('a.pdf')) yield download(link, this.saved);
  }

  *parseCase(page: Page) {
    const title = page.text('h1');
    yield record('case', Case, { title, link: 'javascript:window.pwned="link"' });
    yield record('short', Short, { title });
    if (page.maybe('.broken') !== undefined) throw new Error(`cannot read ${title}`);
  }

  *saved(file: SavedFile) {
    yield record('document', Document, { file: file.path });
  }
}

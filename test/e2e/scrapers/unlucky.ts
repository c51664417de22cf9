// A scraper with one fault of every kind, beside pages that are read well.

import { entry, get, type Page, record, Scraper } from 'curlew';
import { z } from 'zod';

const Case = z.object({ number: z.string(), title: z.string().min(1) });
const Strict = z.object({ number: z.string().regex(/^NEVER/), title: z.string() });

export default class Unlucky extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';

  good = entry(() => [1, 2, 3].map((id) => get(`/case/${id}`, this.readCase)));
  misfit = entry(() => [4, 5].map((id) => get(`/case/${id}`, this.readOtherPage)));
  thrower = entry(() => get('/case/6', this.throwUp));
  nonsense = entry(() => get('/case/7', this.yieldNonsense));
  later = entry(() => get('/case/8', this.readLater as unknown as Unlucky['readCase']));
  invalid = entry(() => get('/case/9', this.readStrictly));

  *readCase(page: Page) {
    yield record('case', Case, { number: page.text('.number'), title: page.text('h1') });
  }

  *readOtherPage(page: Page) {
    // Found before the fault, and so not kept: a page is read as a whole or not at all.
    yield record('case', Case, { number: page.text('.number'), title: page.text('h1') });
    yield record('case', Case, { number: page.text('table.cases td.number'), title: page.text('h1') });
  }

  *throwUp(page: Page) {
    yield record('case', Case, { number: page.text('.number'), title: page.text('h1') });
    throw new TypeError('the court has gone mad');
  }

  *yieldNonsense() {
    yield { number: 'just an object' } as never;
  }

  async *readLater(page: Page) {
    yield record('case', Case, { number: page.text('.number'), title: page.text('h1') });
  }

  *readStrictly(page: Page) {
    yield record('case', Strict, { number: page.text('.number'), title: page.text('h1') });
  }
}

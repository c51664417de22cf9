// A scraper with one fault of every kind, beside pages that are read well.

import { entry, get, type Page, record, Scraper, speculate } from 'curlew';
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
  returned = entry(() => get('/case/10', this.returnRecord as unknown as Unlucky['readCase']));
  delegated = entry(() => get('/case/10', this.returnGenerator as unknown as Unlucky['readCase']));
  list = entry(() => get('/case/10', this.yieldList));
  array = entry(() => get('/case/10', this.giveArray));
  lastReturned = entry(function* (this: void) {
    yield get('/case/9');
    return get('/case/10');
  } as never);
  recordInstead = entry(() => record('case', Case, { number: '1', title: 'no request' }) as never);
  missed = speculate(
    {
      highestObserved: 999,
      *onMiss(id: number) {
        yield record('case', Case, { number: `first ${id}`, title: 'absent' });
        return record('case', Case, { number: String(id), title: 'absent' });
      },
    } as never,
    (id) => get(`/case/${id}`, this.readCase),
  );

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

  *returnRecord(page: Page) {
    yield get('/case/11', this.readCase);
    return record('case', Case, { number: page.text('.number'), title: page.text('h1') });
  }

  *returnGenerator(page: Page) {
    yield get('/case/11', this.readCase);
    return this.readCase(page);
  }

  *yieldList(page: Page) {
    yield [record('case', Case, { number: page.text('.number'), title: page.text('h1') })] as never;
  }

  giveArray(page: Page) {
    return [record('case', Case, { number: page.text('.number'), title: page.text('h1') })];
  }
}

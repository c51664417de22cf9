// A court whose cases have running numbers: ask for them one by one, and know where the docket ends.
//   curlew court --highest 130 --holes 50-61 --sealed 70-71
//   curlew run examples/numbered-cases.ts --allow-host 127.0.0.1:8017 --rate off

import { get, type Page, record, Scraper, speculate } from 'curlew';
import { z } from 'zod';

const Case = z.object({ id: z.int(), number: z.string(), title: z.string().min(1), filed: z.iso.date() });

export default class NumberedCases extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';

  byNumber = speculate(
    {
      highestObserved: 100,
      largestObservedGap: 20,
      // The court answers 200 with "Case not found" for some numbers, and sends others back to the search.
      isReal: (page) => page.maybe('.number') !== undefined,
    },
    (id) => get(`/case/${id}`, this.parseCase, { id }),
  );

  *parseCase(page: Page, { id }: { id: number }) {
    yield record('case', Case, {
      id,
      number: page.text('.number'),
      title: page.text('h1'),
      filed: page.text('time'),
    });
  }
}

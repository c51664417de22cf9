// Yields what a hostile page could make of a scraper: cells that a spreadsheet would calculate.

import { entry, get, record, Scraper } from 'curlew';
import { z } from 'zod';

const Cell = z.object({ text: z.string(), amount: z.number(), nested: z.array(z.string()), '=header': z.string() });

export default class Formulas extends Scraper {
  baseUrl = 'http://127.0.0.1:8017';

  start = entry(() => get('/case/1', this.read));

  *read() {
    for (const text of [
      '=1+1',
      '+1',
      '-1',
      '@SUM(A1)',
      '-cmd|calc',
      '\t=1',
      'plain',
      '"quoted", with a comma',
      'two\nlines',
      '\x1b]0;stolen title\x07 \x1b[2J\x9b31m',
    ]) {
      yield record('cell', Cell, { text, amount: -5, nested: ['=1'], '=header': 'x' });
    }
    yield record('=kind', z.object({ text: z.string() }), { text: 'y' });
  }
}

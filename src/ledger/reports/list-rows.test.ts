// Pages of a list against the list itself.

import { hash } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { closing } from '../../../test/fixtures/closing.ts';
import { scratchDirectory } from '../../../test/fixtures/scratch-directory.ts';
import { FakeClock } from '../../platform/fake-clock.ts';
import { Database } from '../database.ts';
import { LEDGER_FILE, Ledger } from '../ledger.ts';
import { sampleRequest } from '../sample-request.ts';
import { sortIds } from './list-rows.ts';
import { listedRequests, type RequestFilter } from './request-report.ts';

const scratch = scratchDirectory();
const COUNT = 12_000;

async function openLedger() {
  const ledger = closing(await Ledger.open(scratch(), { clock: new FakeClock() }));
  const run = {
    kind: 'scraper',
    trigger: 'cli',
    name: 'Test',
    source: undefined,
    params: {},
    settings: {},
    replayOf: undefined,
  } as const;
  const [other, id] = [
    await ledger.createRun(run, []),
    await ledger.createRun(run, [{ entry: 'all', params: undefined }]),
  ];
  const urls = Array.from({ length: COUNT }, (_, index) => `https://court.example/case/${(index * 7919) % COUNT}`);
  for (const [target, list] of [
    [other, urls.slice(0, 50)],
    [id, urls],
  ] as const) {
    const writer = await ledger.takeRun(target);
    const requests = list.map((url) => ({
      spec: sampleRequest({ url }),
      host: 'court.example',
      identity: hash('sha256', url, 'buffer').subarray(0, 16),
      reading: 1,
    }));
    await writer.seed('all', requests, list.length, true);
  }
  return { ledger, id, urls };
}

it('pages of any size, in either order, with any filter, give every row once and in order', async () => {
  const { ledger, id, urls } = await openLedger();
  const filters: [RequestFilter, (url: string) => boolean][] = [
    [{}, () => true],
    [{ search: 'CASE/11' }, (url) => url.includes('case/11')],
    [{ search: 'case/7_' }, () => false],
    [{ verdict: 'pending', host: 'court.example' }, () => true],
    [{ host: 'elsewhere.example' }, () => false],
    [{ verdict: 'failed' }, () => false],
  ];
  const arbitrary = fc.record({
    filter: fc.constantFrom(...filters),
    order: fc.constantFrom('asc' as const, 'desc' as const),
    limit: fc.integer({ min: 200, max: 900 }),
  });
  await fc.assert(
    fc.asyncProperty(arbitrary, async ({ filter: [filter, fits], order, limit }) => {
      const found: string[] = [];
      let looked = 0;
      for (let after: number | undefined; ; ) {
        const page = await ledger.reports.scan(listedRequests(id, filter), { after, limit, order });
        expect(page.ids.length).toBeLessThanOrEqual(limit);
        found.push(...(await ledger.reports.requestRows(page.ids)).map(({ url }) => url));
        looked += page.looked;
        if (page.next === undefined) break;
        after = page.next;
      }
      const expected = urls.filter(fits);
      expect(found).toEqual(order === 'asc' ? expected : expected.toReversed());
      expect(looked).toBe(filter.verdict === 'failed' ? 0 : COUNT);
    }),
    { numRuns: 15 },
  );
});

it('sorting gives every id that fits, in the order of what is sorted by', async () => {
  const { ledger, id, urls } = await openLedger();
  const database = Database.open(join(scratch(), LEDGER_FILE), { readOnly: true });
  const by = { expression: { sql: 'url', values: [] }, order: 'desc' } as const;
  const ids = sortIds(database, listedRequests(id, { search: 'case/11' }), by);
  database.close();
  const sorted = (await ledger.reports.requestRows([...ids])).map(({ url }) => url);
  expect(sorted).toEqual(
    urls
      .filter((url) => url.includes('case/11'))
      .sort()
      .reverse(),
  );
});

// G2 through the real engine: which ids are found is a function of the site alone.

import { get, type Page, record, resume, run, Scraper, speculate } from 'curlew';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeGapMap } from '../../src/ledger/gap-map.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import {
  ascending,
  Case,
  casePage,
  ids,
  newData,
  notFound,
  resultOf,
  settingsFor,
  softNotFound,
  startNumbers,
} from './numbered-site.ts';

/** What a site has for an id. `soft`: "not found" with status 200. `same`: it leads to the page of an id before it. */
type Thing = 'case' | 'soft' | 'same' | 'nothing';

interface World {
  readonly lowest: number;
  readonly things: readonly Thing[];
  readonly first: number;
  readonly length: number;
  readonly gap: number;
  readonly concurrency: number;
  readonly latencyMs: number;
  /** Ids whose first request the site resets. */
  readonly resets: readonly number[];
  /** After how many requests the run is stopped at once, life by life. */
  readonly stops: readonly number[];
}

const worlds: fc.Arbitrary<World> = fc.record({
  lowest: fc.integer({ min: -10, max: 5 }),
  things: fc.array(fc.constantFrom<Thing>('case', 'case', 'case', 'soft', 'same', 'nothing'), { maxLength: 60 }),
  first: fc.integer({ min: -5, max: 5 }),
  length: fc.nat({ max: 10 }),
  gap: fc.nat({ max: 8 }),
  concurrency: fc.integer({ min: 1, max: 16 }),
  latencyMs: fc.nat({ max: 8 }),
  resets: fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 2 }),
  stops: fc.array(fc.integer({ min: 1, max: 25 }), { maxLength: 3 }),
});

const thingAt = ({ things, lowest }: World, id: number): Thing => things[id - lowest] ?? 'nothing';

/** What one patient person with a notebook finds. */
function serialWalk(world: World): number[] {
  const found: number[] = [];
  let highest = world.first + world.length;
  for (let id = world.first; id <= highest + world.gap; id++) {
    if (thingAt(world, id) !== 'case') continue;
    found.push(id);
    highest = Math.max(highest, id);
  }
  return found;
}

/** The id whose page an id leads to. */
function pageOf(world: World, id: number): number {
  let page = id;
  while (page > world.first && thingAt(world, page) === 'same') page--;
  return page;
}

function scraperOf(world: World) {
  return class Numbered extends Scraper {
    baseUrl = 'http://127.0.0.1:1';
    byId = speculate(
      { highestObserved: world.first + world.length, isReal: (page) => page.maybe('.id') !== undefined },
      (id) => get(`/id/${pageOf(world, id)}`, this.readCase),
    );
    *readCase(page: Page) {
      yield record('case', Case, { id: Number(page.text('.id')) });
    }
  };
}

/** The requests that the ledger says are settled. */
async function settledPages(world: World, data: string): Promise<Set<number>> {
  const ledger = await Ledger.open(data, { clock: systemClock, readOnly: true });
  try {
    const [walk] = await ledger.walksOf((await ledger.run('latest')).id);
    if (walk === undefined) return expect.fail('there is no walk');
    const stretches = [...decodeGapMap(await ledger.gapMapOf(walk))];
    const settled = stretches.filter(({ verdict }) => verdict !== 'pending' && verdict !== 'duplicate');
    return new Set(settled.flatMap(({ from, to }) => ids(from, to)).map((id) => pageOf(world, id)));
  } finally {
    await ledger.close();
  }
}

async function check(world: World): Promise<void> {
  const answers = { case: casePage, soft: () => softNotFound, same: () => notFound, nothing: () => notFound };
  const site = await startNumbers((id) => answers[thingAt(world, id)](id), { latencyMs: [0, world.latencyMs] });
  for (const id of world.resets) site.faults.set({ kind: 'reset', path: new RegExp(`^/id/${id}$`), count: 1 });
  const Numbered = scraperOf(world);
  const params = Numbered.params();
  params.speculative.byId.definiteRange = [world.first, world.first + world.length];
  params.speculative.byId.plus = world.gap;
  const data = await newData();
  const { concurrency } = world;

  let settled = new Set<number>();
  let lives = 0;
  const live = async (arrivals: number) => {
    const [asked, arrived] = [site.asked().length, site.log.entries.length];
    const handle =
      lives++ === 0
        ? run(new Numbered(params), { ...settingsFor(site), concurrency, data })
        : resume(new Numbered(params), { concurrency, data, run: 'latest' });
    await Promise.race([site.log.arrival(({ n }) => n >= arrived + arrivals), handle.summary]);
    handle.stop('now');
    const result = await resultOf(handle);
    expect(
      site
        .asked()
        .slice(asked)
        .filter((id) => settled.has(id)),
      'asked for again',
    ).toEqual([]);
    settled = await settledPages(world, data);
    return result;
  };
  for (const arrivals of world.stops) await live(arrivals);
  const { found, summary } = await live(Number.POSITIVE_INFINITY);

  const expected = serialWalk(world);
  expect(found).toEqual(expected);
  const highest = Math.max(world.first + world.length, ...expected);
  const pages = new Set(ids(world.first, highest + world.gap).map((id) => pageOf(world, id)));
  expect([...new Set(site.asked())].sort(ascending)).toEqual([...pages].sort(ascending));
  expect(summary).toMatchObject({ status: 'completed', requests: { pending: 0 } });
  expect(summary.speculation?.byId).toMatchObject({
    hits: expected.length,
    highestHit: expected.at(-1) ?? null,
    probes: highest + world.gap - world.first + 1,
    finished: true,
  });
  if (world.stops.length > 0 || world.resets.length > 0) return;
  expect(site.asked().length).toBe(pages.size);
}

it('the ids found are those of a serial walk, at any speed, in any order of answers, stopped and resumed anywhere', async () => {
  await fc.assert(fc.asyncProperty(worlds, check), { numRuns: 60, endOnFailure: true });
});

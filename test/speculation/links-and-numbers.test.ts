// Pages that links lead to and that are numbered too: what is found does not depend on which comes first. Through the real
// engine, on random worlds, at any speed, stopped and resumed anywhere.

import { entry, get, type Page, record, replay, resume, run, Scraper, speculate } from 'curlew';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlReply } from '../../sim/reply.ts';
import { decodeGapMap } from '../../src/ledger/gap-map.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import {
  Case,
  casePage,
  ids,
  newData,
  notFound,
  resultOf,
  settingsFor,
  softNotFound,
  startNumbers,
  walk,
} from './numbered-site.ts';

/** `soft`: "not found" with status 200. `broken`: a case that its step cannot read, and that exists all the same. */
type Thing = 'case' | 'soft' | 'broken' | 'nothing';

interface World {
  readonly things: readonly Thing[];
  /** Ids that the page of an id links to, if it is a case; those of 0 are on the page that the entry asks for. */
  readonly links: readonly (readonly number[])[];
  readonly highest: number;
  readonly gap: number;
  readonly hasIsReal: boolean;
  readonly concurrency: number;
  readonly latencyMs: number;
  /** Which of the two has its requests go first. */
  readonly first: 'links' | 'numbers' | 'neither';
  readonly stops: readonly number[];
}

const SIZE = 24;
const worlds: fc.Arbitrary<World> = fc.record({
  things: fc.array(fc.constantFrom<Thing>('case', 'case', 'case', 'soft', 'broken', 'nothing'), { maxLength: SIZE }),
  links: fc.array(fc.array(fc.integer({ min: 1, max: SIZE + 6 }), { maxLength: 6 }), {
    minLength: 1,
    maxLength: SIZE,
  }),
  highest: fc.integer({ min: 1, max: 8 }),
  gap: fc.nat({ max: 5 }),
  hasIsReal: fc.boolean(),
  concurrency: fc.constantFrom(1, 2, 8, 16),
  latencyMs: fc.nat({ max: 6 }),
  first: fc.constantFrom('links', 'numbers', 'neither'),
  stops: fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 3 }),
});

const thingAt = ({ things }: World, id: number): Thing => things[id - 1] ?? 'nothing';
const isThere = (world: World, id: number) =>
  ['case', 'broken', ...(world.hasIsReal ? [] : ['soft'])].includes(thingAt(world, id));

/** What one patient person with a notebook finds: ids of the walk that are there, and cases that can be read. */
function expectedOf(world: World) {
  const hits: number[] = [];
  let highest = world.highest;
  for (let id = 1; id <= highest + world.gap; id++) {
    if (!isThere(world, id)) continue;
    hits.push(id);
    highest = Math.max(highest, id);
  }
  const asked = new Set(ids(1, highest + world.gap));
  // Every page that is asked for, by number or by link.
  const open = [...asked, ...(world.links[0] ?? [])];
  const pages = new Set<number>();
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (pages.has(id)) continue;
    pages.add(id);
    if (thingAt(world, id) === 'case') open.push(...(world.links[id] ?? []));
  }
  // A page without an id of its own is not read where a number says that it is not real.
  const failed = [...pages].filter((id) => {
    const thing = thingAt(world, id);
    return thing === 'broken' || (thing === 'soft' && !(asked.has(id) && world.hasIsReal));
  });
  return { hits, asked, cases: [...pages].filter((id) => thingAt(world, id) === 'case'), failed };
}

function scraperOf({ highest, gap, hasIsReal, first }: World) {
  const isReal = (page: Page) => page.text('h1') !== 'Case not found';
  const options = { highestObserved: highest, largestObservedGap: gap, onDuplicate: 'inherit' } as const;
  const priority = first === 'neither' ? 0 : first === 'numbers' ? 5 : -5;
  return class Linked extends Scraper {
    baseUrl = 'http://127.0.0.1:1';
    byId = speculate({ ...options, ...(hasIsReal && { isReal }) }, (id) =>
      get({ url: `/id/${id}`, priority }, this.readCase),
    );
    list = entry(() => get('/list', this.readList));
    *readList(page: Page) {
      for (const link of page.links('a')) yield get(link, this.readCase);
    }
    *readCase(page: Page) {
      yield record('case', Case, { id: Number(page.text('.id')) });
      yield* this.readList(page);
    }
  };
}

const linksTo = (targets: readonly number[] = []) => targets.map((id) => `<a href="/id/${id}">${id}</a>`).join('');

async function startWorld(world: World) {
  const answers = {
    case: (id: number) => htmlReply(200, `<h1>Case</h1><p class="id">${id}</p>${linksTo(world.links[id])}`),
    soft: () => softNotFound,
    broken: () => htmlReply(200, '<h1>A case without its number</h1>'),
    nothing: () => notFound,
  };
  return startNumbers((id) => answers[thingAt(world, id)](id), {
    latencyMs: [0, world.latencyMs],
    others: () => htmlReply(200, `<h1>List</h1>${linksTo(world.links[0])}`),
  });
}

/** The ids of the run's walk that are hits. */
async function hitsIn(data: string): Promise<number[]> {
  const ledger = await Ledger.open(data, { clock: systemClock, readOnly: true });
  try {
    const [stored] = await ledger.walksOf((await ledger.run('latest')).id);
    if (stored === undefined) return expect.fail('there is no walk');
    const stretches = [...decodeGapMap(await ledger.gapMapOf(stored))];
    return stretches.flatMap(({ from, to, verdict }) => (verdict === 'hit' ? ids(from, to) : []));
  } finally {
    await ledger.close();
  }
}

async function check(world: World): Promise<void> {
  const site = await startWorld(world);
  const Linked = scraperOf(world);
  const data = await newData();
  let lives = 0;
  const live = async (arrivals: number) => {
    const arrived = site.log.entries.length;
    const { concurrency } = world;
    const handle =
      lives++ === 0
        ? run(new Linked(), { ...settingsFor(site), concurrency, data })
        : resume(new Linked(), { concurrency, data, run: 'latest' });
    await Promise.race([site.log.arrival(({ n }) => n >= arrived + arrivals), handle.summary]);
    handle.stop('now');
    return resultOf(handle);
  };
  for (const arrivals of world.stops) await live(arrivals);
  await live(Number.POSITIVE_INFINITY);

  const expected = expectedOf(world);
  const hasEnded = async (result: Awaited<ReturnType<typeof resultOf>>) => {
    expect(await hitsIn(data)).toEqual(expected.hits);
    expect(result.found).toEqual(expected.cases.sort((one, other) => one - other));
    expect(result.summary).toMatchObject({
      status: 'completed',
      records: expected.cases.length,
      requests: { pending: 0, failed: expected.failed.length, done: expected.cases.length + 1 },
    });
    expect(result.summary.speculation?.byId).toMatchObject({
      hits: expected.hits.length,
      duplicate: 0,
      probes: expected.asked.size,
      finished: true,
    });
  };
  await hasEnded(await resultOf(resume(new Linked(), { data, run: 'latest' })));
  await hasEnded(await resultOf(replay(new Linked(), { data, run: 'latest' })));
}

describe('with onDuplicate inherit', () => {
  it('the ids found are those of the site, whether links or numbers come first', async () => {
    await fc.assert(fc.asyncProperty(worlds, check), { numRuns: 50, endOnFailure: true });
  });

  it.each(['links', 'numbers'] as const)('a soft 404 is no hit when %s come first', async (first) => {
    const world: World = {
      things: ['case', 'soft', 'case', 'soft', 'soft'],
      links: [[1, 2, 3, 4, 5]],
      highest: 1,
      gap: 2,
      hasIsReal: true,
      concurrency: 1,
      latencyMs: 0,
      first,
      stops: [],
    };
    const { found, summary } = await walk(new (scraperOf(world))(), await startWorld(world), { concurrency: 1 });
    expect(found).toEqual([1, 3]);
    expect(summary).toMatchObject({ health: 'ok', requests: { done: 3, absent: 3, failed: 0 } });
    expect(summary.speculation?.byId).toMatchObject({ hits: 2, highestHit: 3, absent: 3 });
  });

  it('each speculator judges a page that it shares with another by its own isReal', async () => {
    class Two extends Scraper {
      baseUrl = 'http://127.0.0.1:1';
      strict = speculate(
        {
          highestObserved: 6,
          largestObservedGap: 0,
          onDuplicate: 'inherit',
          isReal: (page) => page.maybe('.id') !== undefined,
        },
        (id) => get(`/id/${id}`, this.readCase),
      );
      lenient = speculate({ highestObserved: 6, largestObservedGap: 0, onDuplicate: 'inherit' }, (id) =>
        get(`/id/${id}`, this.readCase),
      );
      *readCase(page: Page) {
        yield record('case', Case, { id: Number(page.text('.id')) });
      }
    }
    const site = await startNumbers((id) => (id % 2 === 0 ? softNotFound : casePage(id)), { latencyMs: [0, 5] });
    for (const only of [
      ['strict', 'lenient'],
      ['lenient', 'strict'],
    ]) {
      const params = Two.params();
      params.only = only;
      const { summary } = await walk(new Two(params), site);
      expect(summary.speculation).toMatchObject({ strict: { hits: 3, absent: 3 }, lenient: { hits: 6 } });
    }
  });
});

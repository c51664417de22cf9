// G2, for links: which records are found does not depend on concurrency, on the order of answers, or on restarts.
// (For numbered ids the same is proven beside the speculator.)

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { htmlReply, statusReply } from '../../sim/reply.ts';
import { type Site, startSite } from '../../sim/site.ts';
import { type RunHandle, type RunSummary, resume, run } from '../../src/index.ts';
import { closing } from '../fixtures/closing.ts';
import Graph from '../fixtures/scrapers/graph.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

/** A stop of the run when so many requests have arrived, after which it is resumed. */
interface Stop {
  readonly after: number;
  readonly how: 'gently' | 'now';
}

interface Manner {
  readonly concurrency: number;
  readonly stops: readonly Stop[];
}

interface Found {
  readonly summary: RunSummary;
  /** What was found and where, sorted. The port of the site is left out. */
  readonly records: readonly string[];
  /** How many of the stops came before the end. */
  readonly interrupted: number;
}

const scratch = scratchDirectory();

/** Crawls a site to the end, through all its stops. */
async function crawl(site: Site, data: string, { concurrency, stops }: Manner): Promise<Found> {
  const allowHosts = [new URL(site.url).host];
  let handle = run(new Graph(), { data, baseUrl: site.url, allowHosts, rate: 'off', concurrency });
  let interrupted = 0;
  for (const { after, how } of stops) {
    const before = site.log.entries.length;
    await Promise.race([site.log.arrival(({ n }) => n > before + after), handle.summary]);
    handle.stop(how);
    if ((await handle.summary).status === 'interrupted') interrupted++;
    handle = resume(new Graph(), { data, run: 'latest' });
  }
  return { records: await recordsOf(handle), summary: await handle.summary, interrupted };
}

async function recordsOf({ records }: RunHandle): Promise<string[]> {
  const found: string[] = [];
  for await (const { kind, data, url, step } of records) {
    found.push(JSON.stringify({ kind, data, path: new URL(url).pathname, step }));
  }
  return found.sort();
}

describe('the same site', () => {
  it('gives the same records one by one, 8 and 32 at a time, and over restarts, whatever fails on the way', async () => {
    const manners: readonly Manner[] = [
      { concurrency: 1, stops: [] },
      { concurrency: 8, stops: [] },
      { concurrency: 32, stops: [] },
      {
        concurrency: 8,
        stops: [
          { after: 20, how: 'now' },
          { after: 40, how: 'gently' },
          { after: 30, how: 'now' },
        ],
      },
    ];
    const crawls = manners.map(async (manner, n) => {
      const court = closing(await startCourt({ graphPages: 150, latencyMs: [0, 25], seed: n }));
      // Each of these passes, and is tried again after two seconds.
      for (const path of [/^\/graph\/2$/, /^\/graph\/77$/])
        court.faults.set({ kind: 'status', status: 500, path, count: 1 });
      for (const path of [/^\/graph\/5$/, /^\/graph\/121$/]) court.faults.set({ kind: 'truncate', path, count: 1 });
      court.faults.set({ kind: 'reset', afterBytes: 700, path: /^\/graph\/33$/, count: 1 });
      // This does not.
      court.faults.set({ kind: 'status', status: 404, path: /^\/graph\/14\d$/ });
      return crawl(court, scratch(`crawl-${n}`), manner);
    });
    const [first, ...others] = await Promise.all(crawls);
    expect(first?.summary).toMatchObject({
      health: 'ok',
      requests: { done: 140, absent: 10, pending: 0 },
      records: 280,
    });
    for (const { records, summary } of others) {
      expect(records).toEqual(first?.records);
      expect(summary.requests).toEqual(first?.summary.requests);
    }
  });
});

/** Links of each page, by number. Numbers beyond the last page lead nowhere. */
type Links = readonly (readonly number[])[];

const PAGES = 14;
const MISSING = 3;

const graphs: fc.Arbitrary<Links> = fc.array(fc.array(fc.nat({ max: PAGES + MISSING - 1 }), { maxLength: 5 }), {
  minLength: 1,
  maxLength: PAGES,
});
const manners: fc.Arbitrary<Manner> = fc.record({
  concurrency: fc.constantFrom(1, 2, 8, 32),
  stops: fc.array(fc.record({ after: fc.nat({ max: 6 }), how: fc.constantFrom('gently', 'now') }), { maxLength: 2 }),
});

/** The oracle: what can be reached from page 0, pages and dead ends. */
function reachable(links: Links): Set<number> {
  const reached = new Set([0]);
  for (const number of reached) for (const next of links[number] ?? []) reached.add(next);
  return reached;
}

/** Pages that write the same address in different ways. */
function pageOf(number: number, links: Links): string | undefined {
  const written = [(n: number) => `/graph/${n}`, (n: number) => `${n}#top`, (n: number) => `./x/../${n}`];
  const items = links[number]?.map(
    (next, place) => `<li><a href="${written[place % written.length]?.(next)}">${next}</a></li>`,
  );
  return items && `<h1>Page ${number}</h1><p class="number">${number}</p><ul>${items.join('')}</ul>`;
}

function titledNumbers(records: readonly string[]): number[] {
  const parsed = records.map((line) => JSON.parse(line));
  return parsed
    .filter(({ kind }) => kind === 'title')
    .map(({ data }) => data.number)
    .sort();
}

describe('any graph of links', () => {
  it('is found as far as it can be reached, each page once', async () => {
    let links: Links = [];
    const handler: Parameters<typeof startSite>[0] = ({ pathname }) => {
      const page = pathname.startsWith('/graph/') ? pageOf(Number(pathname.slice('/graph/'.length)), links) : undefined;
      return page === undefined ? statusReply(404) : htmlReply(200, page);
    };
    const site = closing(await startSite(handler, { latencyMs: [0, 4] }));
    let crawls = 0;
    let interruptions = 0;
    await fc.assert(
      fc.asyncProperty(graphs, manners, async (graph, manner) => {
        links = graph;
        const before = site.log.entries.length;
        const { records, summary, interrupted } = await crawl(site, scratch(`graph-${crawls++}`), manner);
        interruptions += interrupted;
        const all = [...reachable(graph)];
        const pages = all.filter((number) => number < graph.length);
        expect(titledNumbers(records)).toEqual(pages.sort());
        expect(records).toHaveLength(2 * pages.length);
        expect(summary).toMatchObject({
          status: 'completed',
          requests: { done: pages.length, absent: all.length - pages.length, pending: 0 },
        });
        if (manner.stops.every(({ how }) => how === 'gently')) {
          const asked = site.log.since(before).filter(({ path }) => path !== '/robots.txt');
          expect(asked).toHaveLength(all.length);
        }
      }),
      { numRuns: 150 },
    );
    // The stops must have come in time.
    expect(interruptions).toBeGreaterThan(20);
  });
});

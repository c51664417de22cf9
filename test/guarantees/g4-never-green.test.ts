// G4: a run is `ok`, and its exit code 0, only when no expected item is unknown, blocked or missing without a reason.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { htmlReply, type Reply, statusReply, textReply } from '../../sim/reply.ts';
import { type Site, startSite } from '../../sim/site.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, resultIn, runArguments, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const GRAPH = fileURLToPath(new URL('../fixtures/scrapers/graph.ts', import.meta.url));
const LONG_LIST = fileURLToPath(new URL('../fixtures/scrapers/long-list.ts', import.meta.url));
const ITEMS = 10;

const scratch = scratchDirectory();

/** What the site says instead of the ordinary pages. */
interface Oddities {
  readonly replies?: Readonly<Record<string, Reply>>;
  /** Numbers of the pages that page 0 lists; by default all of them. */
  readonly listed?: number;
}

/** A page that lists `ITEMS` others, and these. */
async function startList({ replies = {}, listed = ITEMS }: Oddities): Promise<Site> {
  return closing(
    await startSite(({ pathname }) => {
      const odd = replies[pathname];
      if (odd !== undefined) return odd;
      const number = /^\/graph\/(\d+)$/.exec(pathname)?.[1];
      return number === undefined ? statusReply(404) : page(Number(number), number === '0' ? listed : 0);
    }),
  );
}

function page(number: number, links: number): Reply {
  const items = Array.from({ length: links }, (_, n) => `<li><a href="/graph/${n + 1}">${n + 1}</a></li>`).join('');
  return htmlReply(200, `<h1>Page ${number}</h1><p class="number">${number}</p><ul>${items}</ul>`);
}

async function runOn(oddities: Oddities) {
  return resultIn(await curlew(runArguments(GRAPH, await startList(oddities), scratch('data'))));
}

describe('a run is ok', () => {
  it('when every page was found and read', async () => {
    expect(await runOn({})).toMatchObject({ exitCode: 0, health: 'ok', requests: { done: 1 + ITEMS } });
  });

  it('when a page is absent (404): that is an answer', async () => {
    const result = await runOn({ replies: { '/graph/3': statusReply(404) } });
    expect(result).toMatchObject({ exitCode: 0, health: 'ok', requests: { done: ITEMS, absent: 1 } });
  });

  it('when a page was skipped because robots.txt says so: that is a reason', async () => {
    const result = await runOn({ replies: { '/robots.txt': textReply(200, 'User-agent: *\nDisallow: /graph/3\n') } });
    expect(result).toMatchObject({ exitCode: 0, health: 'ok', requests: { done: ITEMS, skipped: 1 } });
  });
});

describe('a run is not ok', () => {
  it('when a page is refused (403)', async () => {
    const result = await runOn({ replies: { '/graph/3': statusReply(403) } });
    expect(result).toMatchObject({ exitCode: 1, health: 'partial', requests: { done: ITEMS, blocked: 1 } });
  });

  it('when a page is not to be had after three attempts (500)', async () => {
    const result = await runOn({ replies: { '/graph/3': statusReply(500) } });
    expect(result).toMatchObject({ exitCode: 1, health: 'partial', requests: { done: ITEMS, unknown: 1 } });
  });

  it('when a page does not have what its step looks for', async () => {
    const result = await runOn({ replies: { '/graph/3': htmlReply(200, '<h1>We have a new design!</h1>') } });
    expect(result).toMatchObject({ exitCode: 1, health: 'partial', requests: { done: ITEMS, failed: 1 } });
    expect(result.records).toBe(2 * ITEMS);
  });

  it('when a record does not fit its schema', async () => {
    const result = await runOn({ replies: { '/graph/3': htmlReply(200, '<h1></h1><p class="number">3</p>') } });
    expect(result).toMatchObject({ exitCode: 1, health: 'partial', requests: { done: 1 + ITEMS }, invalid: 1 });
  });

  it('when more than 40 % of the pages are refused: then it has failed', async () => {
    const refused = [1, 2, 3, 4, 5].map((number) => [`/graph/${number}`, statusReply(403)]);
    const result = await runOn({ replies: Object.fromEntries(refused) });
    expect(result).toMatchObject({ exitCode: 1, health: 'failed', requests: { done: 6, blocked: 5 } });
  });

  it('when nothing was found', async () => {
    const params = ['--param', 'requests=1', '--param', 'urgent=1', '--param', 'records=0'];
    const site = await startList({});
    const result = resultIn(await curlew([...runArguments(LONG_LIST, site, scratch('data')), ...params]));
    expect(result).toMatchObject({ exitCode: 1, health: 'suspicious', requests: { done: 1 }, records: 0 });
  });

  it('when less than half of what the last run found was found', async () => {
    const first = await runOn({});
    expect(first).toMatchObject({ exitCode: 0, health: 'ok', records: 22 });
    const site = await startList({ listed: 4 });
    const second = await curlew(runArguments(GRAPH, site, scratch('data')));
    expect(resultIn(second)).toMatchObject({ exitCode: 1, health: 'suspicious', requests: { done: 5 }, records: 10 });
    expect(summaryIn(second).warnings.join()).toContain('the run before found 22');
  });
});

// The rule, number by number as in spec/speculation.md. Each through the real engine on a real site.

import { get, type Page, record, replay, Scraper, speculate } from 'curlew';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { statusReply } from '../../sim/reply.ts';
import {
  ascending,
  Case,
  casePage,
  ids,
  newData,
  notFound,
  numbered,
  resultOf,
  softNotFound,
  startNumbers,
  walk,
  walkOn,
} from './numbered-site.ts';

describe('rule 1: every id of the definite range is fetched, whatever the answers', () => {
  it('also across a hole as wide as the gap, and wider', async () => {
    const site = await startNumbers((id) => ([1, 2, 30].includes(id) ? casePage(id) : notFound));
    const { found, summary } = await walk(new (numbered({ highestObserved: 30, largestObservedGap: 3 }))(), site);
    expect(found).toEqual([1, 2, 30]);
    expect(site.asked().sort(ascending)).toEqual(ids(1, 33));
    expect(summary.speculation?.byId).toMatchObject({ definite: [1, 30], hits: 3, largestGap: 27, finished: true });
  });

  it('and a miss in it never stops anything', async () => {
    const site = await startNumbers(() => notFound);
    const { summary } = await walk(new (numbered({ highestObserved: 12, largestObservedGap: 2 }))(), site);
    expect(site.asked().sort(ascending)).toEqual(ids(1, 14));
    expect(summary.speculation?.byId).toMatchObject({ hits: 0, highestHit: null, largestGap: null, absent: 14 });
    expect(summary.health).toBe('suspicious');
  });
});

describe('rule 2: only ids up to the highest hit plus the gap may be asked for', () => {
  it('however many could be in flight', async () => {
    const site = await startNumbers((id) => (id <= 10 ? casePage(id) : notFound), { latencyMs: [0, 10] });
    await walk(new (numbered({ highestObserved: 10, largestObservedGap: 4 }))(), site, { concurrency: 64 });
    expect(Math.max(...site.asked())).toBe(14);
  });

  it('and a highest hit below the end of the definite range does not draw it back', async () => {
    const site = await startNumbers((id) => (id <= 3 ? casePage(id) : notFound));
    await walk(new (numbered({ highestObserved: 10, largestObservedGap: 4 }))(), site);
    expect(site.asked().sort(ascending)).toEqual(ids(1, 14));
  });
});

describe('rule 3: a speculator is finished when all ids within the gap have settled as misses', () => {
  it('so exactly the gap is wasted at the end', async () => {
    const site = await startNumbers((id) => (id <= 57 ? casePage(id) : notFound), { latencyMs: [0, 8] });
    const { found, summary } = await walk(new (numbered({ largestObservedGap: 5 }))(), site);
    expect(found).toEqual(ids(1, 57));
    expect(
      site
        .asked()
        .filter((id) => id > 57)
        .sort(ascending),
    ).toEqual(ids(58, 62));
    expect(summary.speculation?.byId).toMatchObject({ highestHit: 57, probes: 62, finished: true });
  });

  it('a late hit reopens a walk all of whose other ids have settled', async () => {
    const site = await startNumbers((id) => (id <= 20 ? casePage(id) : notFound));
    // The answer for id 6 comes when those for all others that could be asked for, up to 7, have long been there.
    site.faults.set({ kind: 'latency', ms: 400, path: '/id/6' });
    site.faults.set({ kind: 'status', status: 404, path: /^\/id\/(2|3|4|5|7)$/ });
    const { found } = await walk(new (numbered({ highestObserved: 1, largestObservedGap: 6 }))(), site);
    expect(found).toEqual([1, 6, ...ids(8, 20)]);
    const late = site.log.entries.find(({ path }) => path === '/id/6');
    const next = site.log.entries.find(({ path }) => path === '/id/8');
    expect(next?.arrivedAt).toBeGreaterThan(late?.finishedAt ?? Number.POSITIVE_INFINITY);
  });
});

describe('rule 4: with a gap of 0', () => {
  it('nothing beyond the definite range is asked for', async () => {
    const site = await startNumbers(casePage);
    const Numbered = numbered({ highestObserved: 5, largestObservedGap: 20 });
    const params = Numbered.params();
    params.speculative.byId.plus = 0;
    const { found, summary } = await walk(new Numbered(params), site);
    expect(found).toEqual(ids(1, 5));
    expect(site.asked().sort(ascending)).toEqual(ids(1, 5));
    expect(summary).toMatchObject({ health: 'ok', speculation: { byId: { plus: 0, finished: true } } });
  });

  it('a single id can be fetched', async () => {
    const site = await startNumbers(casePage);
    const Numbered = numbered({ highestObserved: 500 });
    const params = Numbered.params();
    params.speculative.byId.definiteRange = [123, 123];
    params.speculative.byId.plus = 0;
    expect((await walk(new Numbered(params), site)).found).toEqual([123]);
    expect(site.asked()).toEqual([123]);
  });
});

describe('rule 5: a hit is a 2xx answer that isReal confirms', () => {
  it('for a soft 404 no step runs, and it counts as absent', async () => {
    const site = await startNumbers((id) => (id <= 4 ? casePage(id) : softNotFound));
    const isReal = (page: Page) => page.text('h1') !== 'Case not found';
    const { found, summary } = await walk(new (numbered({ largestObservedGap: 3, isReal }))(), site);
    expect(found).toEqual(ids(1, 4));
    expect(summary).toMatchObject({ health: 'ok', requests: { done: 4, absent: 3, failed: 0 } });
    expect(summary.speculation?.byId).toMatchObject({ hits: 4, absent: 3 });
  });

  it('isReal can look at the address after redirects', async () => {
    const gone = { status: 302, headers: { location: '/search?notfound=1' }, body: '' };
    const site = await startNumbers((id) => (id <= 4 ? casePage(id) : gone), { others: () => softNotFound });
    const isReal = (page: Page) => !page.url.includes('notfound');
    const { found, summary } = await walk(new (numbered({ largestObservedGap: 3, isReal }))(), site);
    expect(found).toEqual(ids(1, 4));
    expect(summary.speculation?.byId).toMatchObject({ hits: 4, absent: 3, probes: 7 });
  });

  it('what a miss looked like is archived, and onMiss may record it', async () => {
    const Unavailable = z.object({ id: z.int(), why: z.string(), saw: z.string().nullable() });
    const site = await startNumbers((id) => (id === 3 ? softNotFound : id === 5 ? notFound : casePage(id)));
    const Numbered = numbered({
      highestObserved: 6,
      largestObservedGap: 0,
      isReal: (page) => page.maybe('.id') !== undefined,
      *onMiss(id, { kind, status, page }) {
        yield record('unavailable', Unavailable, { id, why: `${kind} ${status}`, saw: page?.text('h1') ?? null });
      },
    });
    const data = await newData();
    const { records, found } = await walk(new Numbered(), site, {}, data);
    expect(found).toEqual([1, 2, 4, 6]);
    expect(records.filter((line) => line.startsWith('unavailable'))).toEqual([
      'unavailable {"id":3,"why":"ok 200","saw":"Case not found"}',
      'unavailable {"id":5,"why":"url_specific 404","saw":null}',
    ]);
    // Read again from the archive: the page of the soft 404 is there.
    const requests = site.log.entries.length;
    expect((await resultOf(replay(new Numbered(), { data, run: 'latest' }))).records).toEqual(records);
    expect(site.log.entries.length).toBe(requests);
  });

  it('an isReal that throws is a failure that names the speculator, and no hit', async () => {
    const site = await startNumbers(casePage);
    const isReal = (page: Page) => page.text('.missing') !== '';
    const { summary } = await walk(new (numbered({ largestObservedGap: 2, isReal }))(), site);
    expect(summary).toMatchObject({ health: 'failed', requests: { failed: 3 } });
    expect(summary.speculation?.byId).toMatchObject({ hits: 0, failed: 3, finished: true });
  });

  it('a page whose step fails exists all the same', async () => {
    class Odd extends numbered({ largestObservedGap: 2 }) {
      override *readCase(page: Page): Generator<ReturnType<typeof record>> {
        if (page.text('.id') === '2') throw new Error('I do not like even primes');
        yield* super.readCase(page);
      }
    }
    const site = await startNumbers((id) => (id <= 3 ? casePage(id) : notFound));
    const { found, summary } = await walk(new Odd(), site);
    expect(found).toEqual([1, 3]);
    expect(summary).toMatchObject({ health: 'partial', requests: { done: 2, failed: 1 } });
    expect(summary.speculation?.byId).toMatchObject({ hits: 3, highestHit: 3 });
  });
});

describe('rule 6: an answer that is to be retried settles nothing', () => {
  it('whether the page has trouble or the whole site', async () => {
    const site = await startNumbers((id) => (id <= 9 ? casePage(id) : notFound));
    site.faults.set({ kind: 'status', status: 500, path: '/id/4', count: 1 });
    site.faults.set({ kind: 'reset', path: '/id/6', count: 1 });
    site.faults.set({ kind: 'status', status: 503, path: '/id/8', count: 1 });
    const { found, summary } = await walk(new (numbered({ largestObservedGap: 1 }))(), site);
    // With a gap of 1, any of these taken for a miss would have ended the walk.
    expect(found).toEqual(ids(1, 9));
    expect(summary).toMatchObject({ health: 'ok', speculation: { byId: { hits: 9, absent: 1, probes: 10 } } });
    expect(
      site
        .asked()
        .filter((id) => [4, 6, 8].includes(id))
        .sort(ascending),
    ).toEqual([4, 4, 6, 6, 8, 8]);
  });
});

describe('rule 7: a duplicate counts as a miss and runs no step', () => {
  class OnePage extends Scraper {
    baseUrl = 'http://127.0.0.1:1';
    same = speculate({ highestObserved: 2, largestObservedGap: 5 }, () => get('/id/1', this.readCase));
    *readCase(page: Page) {
      yield record('case', Case, { id: Number(page.text('.id')) });
    }
  }

  it('so ids that all lead to one page end', async () => {
    const site = await startNumbers(casePage);
    const { found, summary } = await walk(new OnePage(), site);
    expect(found).toEqual([1]);
    expect(site.asked()).toEqual([1]);
    expect(summary.speculation?.same).toMatchObject({
      hits: 1,
      duplicate: 6,
      probes: 7,
      highestHit: 1,
      finished: true,
    });
  });

  it('also when that page was refused, and is asked for again', async () => {
    const site = await startNumbers(casePage);
    const refusal = site.faults.set({ kind: 'status', status: 403 });
    const data = await newData();
    expect((await walk(new OnePage(), site, {}, data)).summary.speculation?.same).toMatchObject({
      blocked: 1,
      duplicate: 6,
    });
    site.faults.clear(refusal);
    const { summary } = await walkOn(new OnePage(), data);
    expect(summary.speculation?.same).toMatchObject({ hits: 1, blocked: 0, duplicate: 6, finished: true });
  });

  /** Two ids of one page each: 1 and 2 lead to /id/1, 3 and 4 to /id/3. */
  class Pairs extends Scraper {
    baseUrl = 'http://127.0.0.1:1';
    pairs = speculate({ largestObservedGap: 2, onDuplicate: 'inherit' }, (id) =>
      get(`/id/${id % 2 === 0 ? id - 1 : id}`, this.readCase),
    );
    *readCase(page: Page) {
      yield record('case', Case, { id: Number(page.text('.id')) });
    }
  }

  it("with onDuplicate 'inherit' it takes over the verdict of the page it duplicates", async () => {
    const site = await startNumbers((id) => (id <= 9 ? casePage(id) : notFound), { latencyMs: [0, 10] });
    const { found, summary } = await walk(new Pairs(), site);
    expect(found).toEqual([1, 3, 5, 7, 9]);
    expect(site.asked().sort(ascending)).toEqual([1, 3, 5, 7, 9, 11]);
    expect(summary.speculation?.pairs).toMatchObject({ hits: 10, highestHit: 10, absent: 2, duplicate: 0 });
  });

  it("with 'inherit' a page that exists is a hit also when its step failed long before", async () => {
    class Failing extends Scraper {
      baseUrl = 'http://127.0.0.1:1';
      // With a gap of 1, id 4 is asked for after the page that it shares with id 3 was read.
      byId = speculate({ largestObservedGap: 1, onDuplicate: 'inherit' }, (id) =>
        get(`/id/${id === 4 ? 3 : id}`, this.readCase),
      );
      *readCase(page: Page) {
        if (page.text('.id') === '3') throw new Error('no');
        yield record('case', Case, { id: Number(page.text('.id')) });
      }
    }
    const site = await startNumbers((id) => (id <= 5 ? casePage(id) : notFound));
    const { found, summary } = await walk(new Failing(), site);
    expect(found).toEqual([1, 2, 5]);
    expect(summary.speculation?.byId).toMatchObject({ hits: 5, highestHit: 5, absent: 1 });
  });
});

describe('rule 8: each probe keeps its verdict', () => {
  it('and only absent says that there is nothing', async () => {
    const statuses: Record<number, number> = { 2: 404, 3: 410, 4: 401, 5: 403, 6: 400, 7: 500 };
    const site = await startNumbers((id) => {
      const status = statuses[id];
      return status === undefined ? casePage(id) : statusReply(status);
    });
    const data = await newData();
    const Numbered = numbered({ highestObserved: 8, largestObservedGap: 0 });
    const { summary } = await walk(new Numbered(), site, {}, data);
    expect(summary.speculation?.byId).toMatchObject({
      hits: 2,
      absent: 2,
      blocked: 2,
      failed: 1,
      unknown: 1,
      duplicate: 0,
      probes: 8,
    });
    expect(summary.health).not.toBe('ok');
    expect(summary.warnings).toContain('byId: ids 4–5 were refused, not missing; resume asks for them again.');
    expect(summary.warnings).toContain('byId: id 7 was without a usable answer; resume asks for them again.');
  });

  it('a ban is not the end of the docket, and resume asks again for what was refused', async () => {
    let banned = true;
    const site = await startNumbers((id) =>
      id > 340 ? notFound : id >= 300 && banned ? statusReply(403) : casePage(id),
    );
    const data = await newData();
    const Numbered = numbered({ highestObserved: 250, largestObservedGap: 20 });
    const first = await walk(new Numbered(), site, { concurrency: 32 }, data);
    expect(first.found).toEqual(ids(1, 299));
    expect(first.summary).toMatchObject({ health: 'partial', speculation: { byId: { blocked: 20, finished: true } } });
    expect(first.summary.warnings).toEqual([
      'byId: ids 300–319 were refused, not missing; resume asks for them again.',
    ]);

    banned = false;
    const before = site.log.entries.length;
    const second = await walkOn(new Numbered(), data);
    expect(second.found).toEqual(ids(1, 340));
    expect(second.summary).toMatchObject({
      health: 'ok',
      warnings: [],
      speculation: { byId: { blocked: 0, hits: 340 } },
    });
    const again = site.log.since(before).map(({ path }) => Number(path.split('/').at(-1)));
    expect(again.sort(ascending)).toEqual(ids(300, 360));
  });

  it('a record that onMiss made of a refusal goes when the id is found after all', async () => {
    let banned = true;
    const site = await startNumbers((id) => (id === 2 && banned ? statusReply(403) : casePage(id)));
    const Numbered = numbered({
      highestObserved: 2,
      largestObservedGap: 0,
      *onMiss(id) {
        yield record('unavailable', Case, { id });
      },
    });
    const data = await newData();
    expect((await walk(new Numbered(), site, {}, data)).records).toEqual(['case {"id":1}', 'unavailable {"id":2}']);
    banned = false;
    expect((await walkOn(new Numbered(), data)).records).toEqual(['case {"id":1}', 'case {"id":2}']);
  });
});

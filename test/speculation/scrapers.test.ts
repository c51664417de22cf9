// What a scraper can declare: several speculators beside entries, partitions, a budget, and what is refused at the start.

import {
  CurlewError,
  entry,
  get,
  type Page,
  record,
  resume,
  run,
  Scraper,
  type SpeculateOptions,
  speculate,
} from 'curlew';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { htmlReply, statusReply } from '../../sim/reply.ts';
import { startSite } from '../../sim/site.ts';
import {
  ascending,
  Case,
  casePage,
  ids,
  newData,
  notFound,
  numbered,
  resultOf,
  settingsFor,
  startNumbers,
  walk,
  walkOn,
} from './numbered-site.ts';

/** The error that a run of the scraper ends with. */
async function errorOf(scraper: Scraper, site = 'http://127.0.0.1:1'): Promise<CurlewError> {
  const settings = { baseUrl: site, allowHosts: [new URL(site).host], rate: 'off', robots: 'off' } as const;
  const error = await run(scraper, { ...settings, data: await newData() }).summary.catch((reason: unknown) => reason);
  return error instanceof CurlewError ? error : expect.fail(`no CurlewError: ${String(error)}`);
}

describe('ids', () => {
  it.each([
    [0, 0],
    [-5, -3],
    [-2, 2],
  ])('may begin at 0 and below: from %i to %i', async (first, last) => {
    const site = await startNumbers((id) => (id <= 4 ? casePage(id) : notFound));
    const Numbered = numbered({ largestObservedGap: 2 });
    const params = Numbered.params();
    params.speculative.byId.definiteRange = [first, last];
    const { found } = await walk(new Numbered(params), site);
    expect(found).toEqual(ids(first, 4));
    expect(site.asked().sort(ascending)).toEqual(ids(first, 6));
  });

  it('may be the highest observed one also when that is 0 or negative', async () => {
    const site = await startNumbers((id) => (id <= 1 ? casePage(id) : notFound));
    const { found, summary } = await walk(new (numbered({ highestObserved: -1, largestObservedGap: 2 }))(), site);
    expect(found).toEqual([-1, 0, 1]);
    expect(summary.speculation?.byId?.definite).toEqual([-1, -1]);
  });

  it('may be as large as safe integers are', async () => {
    const site = await startNumbers(casePage);
    const Numbered = numbered({});
    const params = Numbered.params();
    params.speculative.byId.definiteRange = [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER];
    params.speculative.byId.plus = 0;
    const { found, summary } = await walk(new Numbered(params), site);
    expect(found).toEqual([Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER]);
    expect(summary.speculation?.byId).toMatchObject({ hits: 2, finished: true });
  });

  it.each([
    [[5, 4], 'The definite range of byId runs backwards: it begins at 5 and ends at 4.'],
    [[1.5, 4], 'definiteRange of byId is 1.5, but it must be a whole number'],
    [[1, Number.NaN], 'definiteRange of byId is NaN, but it must be a whole number'],
    [[1, 2 ** 53], 'definiteRange of byId is 9007199254740992, but it must be a whole number that is not beyond 2^53'],
    [[1, Number.MAX_SAFE_INTEGER], 'the last id of byId is 9007199254741000, but'],
    [[1], 'The definite range of byId is not two ids.'],
  ])('from %j are refused before anything is begun', async (range, message) => {
    const Numbered = numbered({});
    const params = Numbered.params();
    params.speculative.byId.definiteRange = range as unknown as [number, number];
    const error = await errorOf(new Numbered(params));
    expect(error.code).toBe('invalid_parameter');
    expect(error.message).toContain(message);
  });

  it.each([-1, 0.5, Number.NaN])('a plus of %d is refused', async (plus) => {
    const Numbered = numbered({});
    const params = Numbered.params();
    params.speculative.byId.plus = plus;
    expect((await errorOf(new Numbered(params))).message).toContain(`plus of byId is ${plus}, but it must be`);
  });

  it.each<[SpeculateOptions, string]>([
    [{ highestObserved: 1.5 }, 'highestObserved is 1.5'],
    [{ highestObserved: 2 ** 53 }, 'highestObserved is 9007199254740992'],
    [{ largestObservedGap: -1 }, 'largestObservedGap is -1'],
    [{ maxProbes: 0 }, 'maxProbes is 0'],
    [{ onDuplicate: 'hit' as 'miss' }, 'onDuplicate is hit'],
  ])('declared as %o are refused', (options, message) => {
    expect(() => new (numbered(options))()).toThrow(message);
  });
});

describe('what a speculator gives back', () => {
  it('is an error with its name when it is no request', async () => {
    class Odd extends Scraper {
      baseUrl = 'http://127.0.0.1:1';
      byNumber = speculate({}, (id) => `/case/${id}` as unknown as ReturnType<typeof get>);
    }
    expect((await errorOf(new Odd())).message).toBe(
      'Speculator byNumber of Odd gave back something that is no request for id 1.',
    );
  });

  it('is an error with its name when it throws, or makes a request that cannot be made', async () => {
    class Throws extends Scraper {
      baseUrl = 'http://127.0.0.1:1';
      byNumber = speculate({}, () => {
        throw new Error('no such luck');
      });
    }
    class Strange extends Scraper {
      baseUrl = 'http://127.0.0.1:1';
      byNumber = speculate({}, (id) => get(`ftp://court.example/${id}`));
    }
    expect((await errorOf(new Throws())).message).toMatch(
      /^Speculator byNumber of Throws failed for id 1: no such luck \(scrapers\.test\.ts:\d+:\d+\)$/,
    );
    expect((await errorOf(new Strange())).message).toContain('Speculator byNumber of Strange failed for id 1: ');
  });

  it('takes its priority from the step it leads to', async () => {
    class Two extends numbered({ highestObserved: 5, largestObservedGap: 0 }) {
      override priorities = { readUrgent: 10 };
      urgent = speculate({ highestObserved: 105, largestObservedGap: 0 }, (id) => get(`/id/${id}`, this.readUrgent));
      *readUrgent(page: Page) {
        yield* this.readCase(page);
      }
    }
    const params = Two.params();
    params.speculative.urgent.definiteRange = [101, 105];
    const site = await startNumbers(casePage);
    // The first may have left before the others were known: it is answered when they are.
    site.faults.set({ kind: 'hold', count: 1 });
    const handle = run(new Two(params), { ...settingsFor(site), concurrency: 1, data: await newData() });
    await site.log.arrival(() => true);
    await expect.poll(() => handle.progress()?.total().pending).toBe(10);
    await site.faults.clear();
    await handle.summary;
    expect(
      site
        .asked()
        .slice(1)
        .findLastIndex((id) => id > 100),
    ).toBeLessThanOrEqual(5);
  });
});

describe('a scraper with several ways in', () => {
  class Court extends Scraper {
    baseUrl = 'http://127.0.0.1:1';
    civil = speculate({ highestObserved: 3, largestObservedGap: 2 }, (id) => get(`/id/${1000 + id}`, this.readCase));
    criminal = speculate({ highestObserved: 1, largestObservedGap: 4 }, (id) => get(`/id/${2000 + id}`, this.readCase));
    news = entry(() => get('/id/7', this.readCase));
    since = entry(z.object({ id: z.int() }), ({ id }) => get(`/id/${id}`, this.readCase));
    *readCase(page: Page) {
      yield record('case', Case, { id: Number(page.text('.id')) });
    }
  }
  const site = () =>
    startNumbers((id) => (id > 1010 && id < 2000 ? notFound : id > 2002 ? notFound : casePage(id)), {
      latencyMs: [0, 8],
    });

  it('without parameters runs all speculators on their defaults, and entries that need none', async () => {
    const court = await site();
    const { found, summary } = await walk(new Court(), court);
    expect(found).toEqual([7, ...ids(1001, 1010), 2001, 2002]);
    expect(summary).toMatchObject({
      health: 'ok',
      speculation: {
        civil: { definite: [1, 3], plus: 2, hits: 10, highestHit: 10, probes: 12, finished: true },
        criminal: { definite: [1, 1], plus: 4, hits: 2, highestHit: 2, probes: 6, finished: true },
      },
      observed: {
        civil: { highestObserved: 10, largestObservedGap: 2 },
        criminal: { highestObserved: 2, largestObservedGap: 4 },
      },
    });
    expect(court.asked().sort(ascending)).toEqual([7, ...ids(1001, 1012), ...ids(2001, 2006)]);
  });

  it('configures each on its own', async () => {
    const court = await site();
    const params = Court.params();
    params.speculative.civil.plus = 0;
    params.speculative.criminal.definiteRange = [2, 2];
    params.entries.since = { id: 9 };
    const { found } = await walk(new Court(params), court);
    expect(found).toEqual([7, 9, 1001, 1002, 1003, 2002]);
    expect(court.asked().sort(ascending)).toEqual([7, 9, 1001, 1002, 1003, ...ids(2002, 2006)]);
  });

  it('runs only those that are named', async () => {
    const params = Court.params();
    params.only = ['criminal'];
    expect((await walk(new Court(params), await site())).found).toEqual([2001, 2002]);
    params.only = ['news'];
    expect((await walk(new Court(params), await site())).found).toEqual([7]);
  });

  it('refuses settings for a speculator that does not run', async () => {
    const params = Court.params();
    params.only = ['news'];
    params.speculative.civil.plus = 3;
    expect((await errorOf(new Court(params))).message).toBe('civil is given settings, but only news runs.');
  });

  it('finds the same when links lead to the same pages, if the walk inherits', async () => {
    class Linked extends Scraper {
      baseUrl = 'http://127.0.0.1:1';
      byId = speculate({ largestObservedGap: 2, onDuplicate: 'inherit' }, (id) => get(`/id/${id}`, this.readCase));
      backwards = entry(() => get('/id/30', this.readCase));
      *readCase(page: Page) {
        const id = Number(page.text('.id'));
        yield record('case', Case, { id });
        if (id > 1) yield get(`/id/${id - 1}`, this.readCase);
      }
    }
    const linked = await startNumbers((id) => (id <= 30 ? casePage(id) : notFound), { latencyMs: [0, 5] });
    const { found, summary } = await walk(new Linked(), linked);
    expect(found).toEqual(ids(1, 30));
    expect(linked.asked().sort(ascending)).toEqual(ids(1, 32));
    expect(summary.speculation?.byId).toMatchObject({ hits: 30, absent: 2, duplicate: 0, finished: true });
  });

  it('cannot be resumed without a speculator that it had', async () => {
    class Former extends Scraper {
      baseUrl = 'http://127.0.0.1:1';
    }
    const data = await newData();
    await walk(new Court(), await site(), {}, data);
    await expect(walkOn(new Former(), data)).rejects.toThrow('Former has no speculator named civil any more.');
  });
});

describe('partitions', () => {
  class ByYear extends Scraper {
    baseUrl = 'http://127.0.0.1:1';
    byYear = speculate.partitioned(
      { year: [2023, 2025], court: ['A', 'B'] },
      {
        largestObservedGap: 3,
        *onMiss(id, { partition: { year, court } }) {
          yield record('missing', z.string(), `${year}${court}${id}`);
        },
      },
      ({ year, court }, id) => get(`/${court}/${year}/${id}`, this.readCase),
    );
    *readCase(page: Page) {
      yield record('case', z.string(), new URL(page.url).pathname);
    }
  }

  it('are independent sequences, each with its own end', async () => {
    const last: Record<string, number> = {
      'A/2023': 9,
      'A/2024': 4,
      'A/2025': 0,
      'B/2023': 1,
      'B/2024': 12,
      'B/2025': 2,
    };
    const site = await startSite(({ pathname }) => {
      const [, court, year, id] = pathname.split('/');
      return Number(id) <= (last[`${court}/${year}`] ?? 0) ? htmlReply(200, '<h1>A case</h1>') : statusReply(404);
    });
    const data = await newData();
    const handle = run(new ByYear(), { ...settingsFor(site), data });
    const { records, summary } = await resultOf(handle).finally(() => site.close());
    const expected = Object.entries(last).flatMap(([path, count]) =>
      ids(1, count).map((id) => `case "/${path}/${id}"`),
    );
    expect(records.filter((line) => line.startsWith('case'))).toEqual(expected.sort());
    expect(records.filter((line) => line.includes('2025A'))).toEqual([1, 2, 3, 4].map((id) => `missing "2025A${id}"`));
    const { partitions, ...total } = summary.speculation?.byYear ?? {};
    expect(total).toMatchObject({ definite: [1, 1], plus: 3, hits: 28, highestHit: 12, absent: 19, finished: true });
    expect(partitions?.map(({ partition, highestHit }) => [partition?.year, partition?.court, highestHit])).toEqual([
      [2023, 'A', 9],
      [2023, 'B', 1],
      [2024, 'A', 4],
      [2024, 'B', 12],
      [2025, 'A', null],
      [2025, 'B', 2],
    ]);
  });

  it.each([
    [{ year: [2026, 2023] }, 'year is [2026, 2023], but it must be a range whose first is not above its last'],
    [{ year: [] }, 'year is [], but it must be texts, at least one'],
    [{ year: ['A', 'A'] }, 'year is ["A", "A"]'],
    [{ year: [2023, 2024, 2025] }, 'year is [2023, 2024, 2025]'],
    [{ year: [2023.5, 2024] }, 'year is 2023.5'],
  ])('%j are refused', (dimensions, message) => {
    const strange = dimensions as unknown as { year: [number, number] };
    expect(() => speculate.partitioned(strange, {}, () => get('/'))).toThrow(message);
  });
});

describe('a budget', () => {
  it('ends a walk, and never silently', async () => {
    const site = await startNumbers(casePage);
    const { found, summary } = await walk(new (numbered({ maxProbes: 30 }))(), site);
    expect(found).toEqual(ids(1, 30));
    expect(site.asked().sort(ascending)).toEqual(ids(1, 30));
    expect(summary).toMatchObject({
      status: 'completed',
      health: 'partial',
      speculation: { byId: { hits: 30, probes: 30, finished: false, endedBy: 'budget' } },
      warnings: ['byId: the walk was ended by its budget of 30 ids; there may be more.'],
    });
  });

  it('ends one also within the definite range, and before the gap was tried', async () => {
    const site = await startNumbers((id) => (id <= 10 ? casePage(id) : notFound));
    const Numbered = numbered({ highestObserved: 10, largestObservedGap: 5, maxProbes: 12 });
    const { summary } = await walk(new Numbered(), site);
    expect(summary.speculation?.byId).toMatchObject({ hits: 10, absent: 2, finished: false, endedBy: 'budget' });
  });

  it('that is not used up is not heard of', async () => {
    const site = await startNumbers((id) => (id <= 10 ? casePage(id) : notFound));
    const { summary } = await walk(new (numbered({ largestObservedGap: 5, maxProbes: 15 }))(), site);
    expect(summary).toMatchObject({ health: 'ok', warnings: [], speculation: { byId: { finished: true } } });
  });
});

describe('the largest gap', () => {
  const withHole = (width: number) =>
    startNumbers((id) => ((id > 5 && id <= 5 + width) || id > 60 ? notFound : casePage(id)));

  it('is told when it came near the one that was allowed', async () => {
    const { summary } = await walk(new (numbered({ largestObservedGap: 20 }))(), await withHole(18));
    expect(summary.warnings).toEqual(['byId: largest gap 18 of 20: raise it (--plus byId=40).']);
    expect(summary.health).toBe('ok');
    expect(summary.observed).toEqual({ byId: { highestObserved: 60, largestObservedGap: 20 } });
  });

  it.each([
    [1, 2],
    [2, 3],
    [3, 4],
  ])('is told when it is %i, the widest that a gap of %i crosses', async (width, gap) => {
    const { summary } = await walk(new (numbered({ largestObservedGap: gap }))(), await withHole(width));
    expect(summary.warnings).toEqual([`byId: largest gap ${width} of ${gap}: raise it (--plus byId=${2 * gap}).`]);
  });

  it('is not told when there is no hole at all, however small the gap', async () => {
    const { summary } = await walk(new (numbered({ largestObservedGap: 1 }))(), await withHole(0));
    expect(summary).toMatchObject({ warnings: [], observed: { byId: { highestObserved: 60, largestObservedGap: 1 } } });
  });

  it('is not when it did not', async () => {
    const { summary } = await walk(new (numbered({ largestObservedGap: 20 }))(), await withHole(15));
    expect(summary.warnings).toEqual([]);
    expect(summary.speculation?.byId?.largestGap).toBe(15);
  });
});

describe('a run over the holes of the last one', () => {
  it('ends when there are none, and nothing beyond them may be asked for', async () => {
    const site = await startNumbers(casePage);
    const Numbered = numbered({ highestObserved: 5 });
    const params = Numbered.params();
    params.speculative.byId.plus = 0;
    const data = await newData();
    await walk(new Numbered(params), site, {}, data);
    const { summary } = await resultOf(run(new Numbered(params), { ...settingsFor(site), data, walkFrom: 'holes' }));
    expect(summary).toMatchObject({ status: 'completed', speculation: { byId: { probes: 0, finished: true } } });
    expect(site.asked().length).toBe(5);
  });

  it('can be stopped and resumed anywhere, and asks for each of them', async () => {
    let isLate = false;
    const site = await startNumbers((id) => (id <= 2600 && (id % 2 === 1 || isLate) ? casePage(id) : notFound), {
      latencyMs: [0, 2],
    });
    const Numbered = numbered({ highestObserved: 2600, largestObservedGap: 3 });
    const data = await newData();
    await walk(new Numbered(), site, { concurrency: 32 }, data);

    isLate = true;
    const before = site.asked().length;
    let handle = run(new Numbered(), { ...settingsFor(site), concurrency: 32, data, walkFrom: 'holes' });
    for (const arrivals of [1, 400, 800]) {
      const sofar = site.log.entries.length;
      await site.log.arrival(({ n }) => n >= sofar + arrivals);
      handle.stop('gently');
      expect((await handle.summary).status).toBe('interrupted');
      handle = resume(new Numbered(), { data, run: 'latest' });
    }
    const { found, summary } = await resultOf(handle);
    expect(found).toEqual(ids(1, 1300).map((n) => 2 * n));
    expect(site.asked().slice(before).sort(ascending)).toEqual([...found, 2601, 2602, 2603]);
    expect(summary).toMatchObject({
      health: 'ok',
      speculation: { byId: { hits: 1300, absent: 3, largestGap: 0, finished: true } },
      observed: { byId: { highestObserved: 2600, largestObservedGap: 3 } },
    });
  });
});

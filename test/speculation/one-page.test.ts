// Sites that send every unknown id on to one page, and a speculator without isReal: a walk that would have no end.

import { describe, expect, it } from 'vitest';
import type { Reply } from '../../sim/reply.ts';
import { redirectsInARow } from '../../src/engine/redirect-watch.ts';
import {
  ascending,
  casePage,
  ids,
  newData,
  numbered,
  softNotFound,
  startNumbers,
  walk,
  walkOn,
} from './numbered-site.ts';

const sentTo = (location: string): Reply => ({ status: 302, headers: { location }, body: '' });
const MOST = redirectsInARow;

describe('ids that are all redirected to one page', () => {
  it.each([
    ['a search page', () => '/search?notfound=1', '/search?notfound=1'],
    ['a login that knows where to go back to', (id: number) => `/login?lang=en&next=%2Fid%2F${id}`, '/login?lang=en'],
  ])('end the run with an error that names the page and isReal: %s', async (_, to, named) => {
    const site = await startNumbers((id) => (id <= 8 ? casePage(id) : sentTo(to(id))), { others: () => softNotFound });
    const data = await newData();
    const scraper = new (numbered({ highestObserved: 8, largestObservedGap: 3 }))();
    const error = await walk(scraper, site, {}, data).catch((cause) => cause);
    expect(error).toMatchObject({ code: 'endless_walk', remedy: expect.stringContaining('isReal') });
    expect(error.message).toContain(`ids 9–${8 + MOST} of byId in Numbered were all redirected to ${site.url}${named}`);
    expect(Math.max(...site.asked())).toBeLessThanOrEqual(8 + MOST + 3);
    // What has come is kept, and a resume does not run on for ever either.
    await expect(walkOn(scraper, data)).rejects.toMatchObject({ code: 'endless_walk' });
  });

  it('are found at any concurrency', async () => {
    const site = await startNumbers((id) => (id <= 8 ? casePage(id) : sentTo('/search')), {
      others: () => softNotFound,
      latencyMs: [0, 10],
    });
    const scraper = new (numbered({ highestObserved: 8, largestObservedGap: 30 }))();
    await expect(walk(scraper, site, { concurrency: 32 })).rejects.toMatchObject({ code: 'endless_walk' });
  });
});

describe('redirects that are none of these', () => {
  it('lead each to a page of its own', async () => {
    const site = await startNumbers((id) => (id <= 90 ? sentTo(`/view?no=${id}`) : softNotFound), {
      others: () => casePage(1),
    });
    const scraper = new (numbered({
      highestObserved: 1,
      largestObservedGap: 3,
      maxProbes: 80,
    }))();
    const { summary } = await walk(scraper, site);
    expect(summary.speculation?.byId).toMatchObject({ hits: 80, endedBy: 'budget' });
  });

  it('lead a few ids to the case that they were joined with', async () => {
    const joined = ids(30, 30 + MOST - 2);
    const site = await startNumbers((id) =>
      joined.includes(id) ? sentTo('/id/29') : id <= 90 ? casePage(id) : { status: 404, headers: {}, body: '' },
    );
    const { summary } = await walk(new (numbered({ largestObservedGap: 3 }))(), site);
    expect(summary.speculation?.byId).toMatchObject({ hits: 90, finished: true });
  });

  it('are within the definite range, which is asked for whatever the answers', async () => {
    const site = await startNumbers((id) => (id <= 60 ? sentTo('/search') : { status: 404, headers: {}, body: '' }), {
      others: () => casePage(1),
    });
    await walk(new (numbered({ highestObserved: 60, largestObservedGap: 3 }))(), site);
    expect(site.asked().sort(ascending)).toEqual(ids(1, 63));
  });
});

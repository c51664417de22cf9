// What a resume does not do, and what it does when the state is older than the code.

import { resume, run } from 'curlew';
import { expect, it } from 'vitest';
import { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import {
  ascending,
  casePage,
  ids,
  newData,
  numbered,
  resultOf,
  settingsFor,
  startNumbers,
  walk,
  walkOn,
} from './numbered-site.ts';

/** The walk of the run, and the ids it has asked for, as the ledger has them. */
async function stateIn(data: string) {
  const ledger = await Ledger.open(data, { clock: systemClock, readOnly: true });
  try {
    const [walk] = await ledger.walksOf((await ledger.run('latest')).id);
    return walk === undefined ? expect.fail('no walk') : { walk, ids: await ledger.gapMapOf(walk) };
  } finally {
    await ledger.close();
  }
}

it('a resume with no new answers plans nothing new, however long the definite range', async () => {
  const site = await startNumbers(casePage);
  site.faults.set({ kind: 'silent' });
  const Numbered = numbered({ highestObserved: 10_000 });
  const data = await newData();
  let handle = run(new Numbered(), { ...settingsFor(site), data });
  let before: unknown;
  for (let life = 0; life < 3; life++) {
    const asked = site.asked().length;
    await site.log.arrival(({ n }) => n >= asked + 8);
    // The ids that may be asked for are, long before any answer could come.
    await expect.poll(async () => (await stateIn(data)).ids.runs).toBe('2000p');
    handle.stop('now');
    expect((await handle.summary).status).toBe('interrupted');
    before ??= await stateIn(data);
    expect(await stateIn(data)).toEqual(before);
    handle = resume(new Numbered(), { data, run: 'latest' });
  }
  handle.stop('now');
  await handle.summary;
});

it('a resume of a completed run asks for nothing, and leaves it as it is', async () => {
  const site = await startNumbers((id) => (id <= 5 ? casePage(id) : { status: 404, headers: {}, body: '' }));
  const Numbered = numbered({ largestObservedGap: 3 });
  const data = await newData();
  const first = await walk(new Numbered(), site, {}, data);
  const second = await walkOn(new Numbered(), data);
  expect(second.summary.speculation).toEqual(first.summary.speculation);
  expect(second.found).toEqual(first.found);
  expect(site.asked().sort(ascending)).toEqual(ids(1, 8));
});

it('a walk goes on with the range and the gap it was begun with, whatever the scraper says now', async () => {
  const site = await startNumbers((id) => (id <= 9 ? casePage(id) : { status: 404, headers: {}, body: '' }));
  site.faults.set({ kind: 'silent', path: '/id/5' });
  const data = await newData();
  const handle = run(new (numbered({ highestObserved: 5, largestObservedGap: 2 }))(), { ...settingsFor(site), data });
  await site.log.arrival(({ path }) => path === '/id/5');
  handle.stop('now');
  await handle.summary;
  await site.faults.clear();
  const later = new (numbered({ highestObserved: 50, largestObservedGap: 30 }))();
  const { found, summary } = await resultOf(resume(later, { data, run: 'latest' }));
  expect(found).toEqual(ids(1, 9));
  expect(summary.speculation?.byId).toMatchObject({ definite: [1, 5], plus: 2, probes: 11, finished: true });
});

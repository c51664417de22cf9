// What one run finds out about the ids, the next one knows: nothing that was seen is lost by writing it into the scraper,
// by --from-last, by --reprobe holes, or by a run over a part of the ids in between.

import { writeFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { curlew, runArguments, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { ascending, casePage, ids, newData, notFound, numbered, startNumbers, walk } from './numbered-site.ts';

const scratch = scratchDirectory();

/** A site whose cases can be changed, and the command line on it. The file and its class have the names that are given. */
async function open(exists: (id: number) => boolean, declared = { highestObserved: 10, largestObservedGap: 5 }) {
  const world = { exists };
  const site = await startNumbers((id) => (world.exists(id) ? casePage(id) : notFound));
  const write = (options: object, file = 'court.ts') =>
    writeFile(
      scratch(file),
      `import { get, record, Scraper, speculate } from 'curlew';
       import { z } from 'zod';
       export default class Court extends Scraper {
         baseUrl = 'http://127.0.0.1:8017';
         byNumber = speculate(${JSON.stringify(options)}, (id) => get('/id/' + id, this.read));
         *read(page) { yield record('case', z.object({ id: z.int() }), { id: Number(page.text('.id')) }); }
       }`,
    );
  await write(declared);
  return {
    world,
    write,
    /** Runs it, and gives the ids that were asked for beside the summary. */
    async run(args: readonly string[] = [], file = 'court.ts') {
      const before = site.asked().length;
      const ended = await curlew([...runArguments(scratch(file), site, scratch('data')), ...args]);
      return { ended, summary: summaryIn(ended), asked: site.asked().slice(before).sort(ascending) };
    },
    curlew: (...args: string[]) => curlew([...args, '--data', scratch('data')]),
  };
}

const within =
  (...ranges: [number, number][]) =>
  (id: number) =>
    ranges.some(([a, b]) => id >= a && id <= b);

describe('the observed values', () => {
  it('cross the widest hole that was seen when they are written into the scraper', async () => {
    const court = await open(within([1, 10], [13, 20]));
    const { summary } = await court.run();
    expect(summary.observed).toEqual({ byNumber: { highestObserved: 20, largestObservedGap: 5 } });
    await court.write(summary.observed?.byNumber ?? {});
    court.world.exists = within([1, 10], [13, 20], [23, 30]);
    const later = await court.run();
    expect(later.summary).toMatchObject({ health: 'ok', records: 26 });
  });

  it('are not below what is declared on a site without holes', async () => {
    const { run, curlew: look } = await open(within([1, 30]));
    const { summary } = await run();
    expect(summary.observed).toEqual({ byNumber: { highestObserved: 30, largestObservedGap: 5 } });
    expect((await look('show', 'latest')).stdout).toContain(
      'observed  byNumber: { highestObserved: 30, largestObservedGap: 5 }',
    );
  });

  it('are wider by one than a hole that the declared gap does not cross', async () => {
    const { run } = await open(within([1, 2], [9, 20]), { highestObserved: 10, largestObservedGap: 3 });
    const { summary } = await run();
    expect(summary.speculation?.byNumber?.largestGap).toBe(6);
    expect(summary.observed).toEqual({ byNumber: { highestObserved: 20, largestObservedGap: 7 } });
  });

  it('are what is declared at least when only a part was asked for', async () => {
    const { run } = await open(within([1, 30]));
    const { summary } = await run(['--speculate', 'byNumber=3..3', '--plus', 'byNumber=0']);
    expect(summary.observed).toEqual({ byNumber: { highestObserved: 10, largestObservedGap: 5 } });
  });

  const exists = fc.array(fc.boolean(), { maxLength: 40 });
  const world = fc.record({
    now: exists,
    later: exists,
    highest: fc.integer({ min: 1, max: 12 }),
    gap: fc.integer({ min: 0, max: 6 }),
    fromLast: fc.boolean(),
  });

  it('find every later id that a walk across holes no wider than those seen would find', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ now, later, highest, gap, fromLast }) => {
        let things = now;
        const site = await startNumbers((id) => (things[id - 1] === true ? casePage(id) : notFound));
        const data = await newData();
        const Numbered = numbered({ highestObserved: highest, largestObservedGap: gap });
        const first = await walk(new Numbered(), site, {}, data);
        const observed = first.summary.observed?.byId;
        if (observed === undefined) return;
        expect(observed.highestObserved).toBeGreaterThanOrEqual(highest);
        expect(observed.largestObservedGap).toBeGreaterThanOrEqual(gap);

        // A hole as wide as any seen, and then more of them.
        const widest = Math.max(0, first.summary.speculation?.byId?.largestGap ?? 0);
        const end = Math.max(highest, ...first.found);
        things = [...ids(1, end).map((id) => now[id - 1] === true), ...ids(1, widest).map(() => false), true, ...later];
        const found: number[] = [];
        let reach = end;
        for (const [at, isThere] of things.entries()) {
          if (!isThere) continue;
          if (at + 1 - reach - 1 > widest) break;
          found.push(at + 1);
          reach = Math.max(reach, at + 1);
        }
        const again = fromLast
          ? await walk(new Numbered(), site, { walkFrom: 'from-last' }, data)
          : await walk(new (numbered(observed))(), site);
        expect(again.found).toEqual(expect.arrayContaining(found));
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });
});

describe('a run over one case', () => {
  const single = ['--speculate', 'byNumber=25..25', '--plus', 'byNumber=0'];

  it('does not make the next ones forget the full run before it', async () => {
    const court = await open(within([1, 20], [24, 30]));
    expect((await court.run()).summary.observed?.byNumber).toEqual({ highestObserved: 30, largestObservedGap: 5 });
    const one = await court.run(single);
    expect(one.asked).toEqual([25]);
    // What it prints is what is known, not what it saw.
    expect(one.summary.observed?.byNumber).toEqual({ highestObserved: 30, largestObservedGap: 5 });

    const holes = await court.run(['--reprobe', 'holes']);
    expect(holes.asked).toEqual([21, 22, 23, ...ids(31, 35)]);
    const last = await court.run(['--from-last']);
    expect(last.summary.speculation?.byNumber).toMatchObject({ definite: [1, 30], plus: 5 });
  });

  it('keeps a gap in mind that only an earlier run has shown', async () => {
    const court = await open(within([1, 12], [33, 40]), { highestObserved: 40, largestObservedGap: 5 });
    expect((await court.run()).summary.observed?.byNumber?.largestObservedGap).toBe(21);
    const kept = { highestObserved: 40, largestObservedGap: 21 };
    // Id 25 is in the hole.
    expect((await court.run(single)).summary.observed?.byNumber).toEqual(kept);
    expect((await court.run(['--speculate', 'byNumber=35..36'])).summary.observed?.byNumber).toEqual(kept);
    expect((await court.run(['--from-last'])).summary.speculation?.byNumber).toMatchObject({ plus: 21 });
  });

  it('before any other is all that is known, and the run over holes says so', async () => {
    const court = await open(within([1, 30]));
    await court.run(single);
    const { asked, summary } = await court.run(['--reprobe', 'holes']);
    expect(asked).toEqual(ids(26, 35));
    expect(summary.warnings).toContain(
      'byNumber: ids 1–24 were never asked for: --reprobe holes begins at the lowest id that any run has asked for.',
    );
    expect((await court.run(['--from-last'])).asked).toEqual(ids(1, 35));
  });

  it('far above leaves holes that nobody has asked for, and these are asked for', async () => {
    const court = await open(within([1, 12], [20, 22]));
    await court.run();
    await court.run(['--speculate', 'byNumber=22..22', '--plus', 'byNumber=0']);
    // The 5 ids that were asked for above 12 are a hole now, which takes a gap of 6.
    expect((await court.run(['--reprobe', 'holes'])).asked).toEqual([...ids(13, 21), ...ids(23, 28)]);
  });
});

describe('knowledge', () => {
  it('comes from runs that were interrupted or failed, too', async () => {
    const site = await startNumbers((id) => (id <= 30 ? casePage(id) : notFound));
    site.faults.set({ kind: 'status', status: 403, path: /^\/id\/(2\d|30)$/ });
    const data = await newData();
    const Numbered = numbered({ highestObserved: 10, largestObservedGap: 3 });
    await walk(new Numbered(), site, {}, data);
    await site.faults.clear();
    const holes = await walk(new Numbered(), site, { walkFrom: 'holes' }, data);
    expect(holes.found).toEqual(ids(20, 30));
    // A site that refuses everything takes nothing back.
    site.faults.set({ kind: 'status', status: 403 });
    await walk(new Numbered(), site, {}, data);
    await site.faults.clear();
    const { summary } = await walk(new Numbered(), site, { walkFrom: 'from-last' }, data);
    expect(summary.speculation?.byId).toMatchObject({ definite: [1, 30] });
  });

  it('does not come from a replay, or from another file with a class of the same name', async () => {
    const court = await open(within([1, 12]));
    await court.run();
    court.world.exists = within([1, 40]);
    await court.write({ highestObserved: 10, largestObservedGap: 5 }, 'other.ts');
    expect((await court.run(['--from-last'], 'other.ts')).ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No run of Court has probed ids here.'),
    });
    await court.run([], 'other.ts');
    await court.curlew('replay', 'latest');
    const { summary } = await court.run(['--from-last']);
    expect(summary.speculation?.byNumber?.definite).toEqual([1, 12]);
  });

  it('of ids that are 0 or negative is kept by --from-last', async () => {
    const court = await open(within([-2, 3]));
    await court.run(['--speculate', 'byNumber=-4..3']);
    expect((await court.run(['--from-last'])).asked).toEqual(ids(-2, 15));
  });
});

// Speculation from the command line, in processes of its own.

import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { type CourtOptions, type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { decodeGapMap } from '../../src/ledger/gap-map.ts';
import { curlew, resumeArguments, runArguments, sortedRecords, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { ascending, ids } from './numbered-site.ts';

const NUMBERED_CASES = fileURLToPath(new URL('../../examples/numbered-cases.ts', import.meta.url));
const MANY_WAYS = fileURLToPath(new URL('./many-ways.ts', import.meta.url));

const scratch = scratchDirectory();
let court: RunningCourt;
afterEach(() => court.close());

async function open(options: CourtOptions): Promise<void> {
  court = await startCourt({ seed: 5, ...options });
}

const begin = (...more: string[]) => curlew([...runArguments(NUMBERED_CASES, court, scratch('data')), ...more]);

/** Ids of cases that were asked for since the n-th request, ascending. */
const askedSince = (n: number) =>
  court.log
    .since(n)
    .flatMap(({ path }) => (path.startsWith('/case/') ? [Number(path.slice('/case/'.length))] : []))
    .sort(ascending);

describe('curlew run --json', () => {
  it('says what became of the ids', async () => {
    await open({
      highest: 523,
      holes: [
        [120, 131],
        [200, 204],
      ],
      softMissing: [[300, 300]],
    });
    const summary = summaryIn(await begin('--speculate', 'byNumber=1..500', '--plus', 'byNumber=15'));
    expect(summary.speculation).toEqual({
      byNumber: {
        definite: [1, 500],
        plus: 15,
        hits: 505,
        highestHit: 523,
        largestGap: 12,
        absent: 33,
        blocked: 0,
        unknown: 0,
        duplicate: 0,
        probes: 538,
        finished: true,
      },
    });
    expect(summary.observed).toEqual({ byNumber: { highestObserved: 523, largestObservedGap: 20 } });
    expect(summary.warnings).toEqual(['byNumber: largest gap 12 of 15: raise it (--plus byNumber=30).']);
    expect(askedSince(0)).toEqual(ids(1, 538));
  });

  it('starts with ids that are 0 or negative', async () => {
    await open({ highest: 3, lowest: 0 });
    const { speculation } = summaryIn(await begin('--speculate', 'byNumber=-1..1', '--plus', 'byNumber=2'));
    expect(speculation?.byNumber).toMatchObject({ definite: [-1, 1], hits: 4, absent: 3, highestHit: 3 });
  });

  it.each([
    [['--speculate', 'byNumber=200..100'], 'runs backwards: it begins at 200 and ends at 100'],
    [['--speculate', 'byNumber=1.5..3'], 'definiteRange of byNumber is 1.5, but it must be a whole number'],
    [['--speculate', 'byNumber=NaN..3'], '--speculate byNumber=NaN..3 cannot be read'],
    [
      ['--speculate', 'byNumbr=1..2'],
      'NumberedCases has no speculator named byNumbr.\n  Did you mean byNumber? Its speculators are: byNumber.',
    ],
    [['--from-last'], 'No run of NumberedCases has probed ids here.'],
  ])('%j is a usage error', async (args, message) => {
    await open({});
    const { code, stderr } = await begin(...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(court.log.entries).toEqual([]);
  });

  it('--entry may name a speculator', async () => {
    await open({ highest: 12 });
    const args = [...runArguments(MANY_WAYS, court, scratch('data')), '--entry', 'byNumber'];
    const { requests, speculation } = summaryIn(await curlew(args));
    expect(Object.keys(speculation ?? {})).toEqual(['byNumber']);
    expect(requests.done).toBe(12);
    expect(court.log.entries.some(({ path }) => path.startsWith('/recent'))).toBe(false);
  });

  it('without parameters runs every speculator, and no entry that needs some', async () => {
    await open({ highest: 12 });
    const { speculation } = summaryIn(await curlew(runArguments(MANY_WAYS, court, scratch('data'))));
    expect(speculation).toMatchObject({ byNumber: { hits: 12 }, asJson: { hits: 12 } });
    expect(court.log.entries.some(({ path }) => path.startsWith('/recent'))).toBe(false);
  });
});

describe('a ban', () => {
  it('is not the end of the docket', async () => {
    await open({ highest: 340 });
    court.faults.set({ kind: 'status', status: 403, path: /^\/case\/3\d\d$/ });
    const ended = await begin('--speculate', 'byNumber=1..250');
    expect(ended.code).toBe(1);
    expect(summaryIn(ended)).toMatchObject({ status: 'completed', health: 'partial' });
    expect(summaryIn(ended).warnings.join()).toContain('ids 300–319 were refused, not missing');

    const text = await curlew(['show', 'latest', '--data', scratch('data')]);
    expect(text.stdout).toContain('byNumber: ids 300–319 were refused, not missing');
    await court.faults.clear();
    const before = court.log.entries.length;
    const resumed = await curlew(resumeArguments(scratch('data')));
    expect(resumed.code).toBe(0);
    expect(summaryIn(resumed)).toMatchObject({ health: 'ok', records: 340, warnings: [] });
    expect(askedSince(before)).toEqual(ids(300, 360));
  });
});

describe('the next run', () => {
  it('can start from what the last one observed', async () => {
    let highest = 150;
    await open({ highest: 1_000, holes: (id) => id > highest || (id > 60 && id <= 85) });
    summaryIn(await begin('--speculate', 'byNumber=1..100', '--plus', 'byNumber=40'));
    highest = 160;
    const { speculation, observed } = summaryIn(await begin('--from-last'));
    // The scraper declares 100 and 20.
    expect(speculation?.byNumber).toMatchObject({ definite: [1, 150], plus: 26, highestHit: 160, finished: true });
    expect(observed).toEqual({ byNumber: { highestObserved: 160, largestObservedGap: 26 } });
  });

  it('can ask for holes once more, since courts file late', async () => {
    const missing = new Set([50, 51, 52, 120, ...ids(131, 1_000)]);
    await open({ highest: 1_000, holes: (id) => missing.has(id), sealed: [[70, 71]] });
    expect(summaryIn(await begin()).speculation?.byNumber).toMatchObject({ hits: 124, highestHit: 130, largestGap: 3 });

    missing.delete(51);
    missing.delete(133);
    let before = court.log.entries.length;
    const second = summaryIn(await begin('--reprobe', 'holes'));
    expect(askedSince(before)).toEqual([50, 51, 52, 70, 71, 120, ...ids(131, 153)]);
    // Its own ids are counted; gap and highest id are those of all that is known.
    expect(second).toMatchObject({
      records: 2,
      warnings: ['byNumber: ids 70–71 were refused, not missing; resume asks for them again.'],
      speculation: { byNumber: { definite: [131, 130], hits: 2, highestHit: 133, largestGap: 2, finished: true } },
      observed: { byNumber: { highestObserved: 133, largestObservedGap: 20 } },
    });

    // Nothing new beyond the frontier, and one hole less: the next one goes on from both.
    missing.delete(120);
    before = court.log.entries.length;
    const third = summaryIn(await begin('--reprobe', 'holes'));
    expect(askedSince(before)).toEqual([50, 52, 70, 71, 120, 131, 132, ...ids(134, 153)]);
    expect(third).toMatchObject({
      records: 1,
      observed: { byNumber: { highestObserved: 133, largestObservedGap: 20 } },
    });

    before = court.log.entries.length;
    summaryIn(await begin('--reprobe', 'holes'));
    expect(askedSince(before)).toEqual([50, 52, 70, 71, 131, 132, ...ids(134, 153)]);
  });

  it('takes no range together with holes', async () => {
    await open({ highest: 20 });
    await begin();
    const { code, stderr } = await begin('--reprobe', 'holes', '--speculate', 'byNumber=1..5');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('byNumber is given a range') });
  });
});

describe('a replay', () => {
  it('of a walk gives the same records and opens no connection', async () => {
    await open({
      highest: 130,
      holes: [[50, 61]],
      softMissing: [[80, 83]],
      redirectMissing: [[90, 93]],
      sealed: [[70, 71]],
    });
    const original = summaryIn(await begin());
    const requests = court.log.entries.length;
    const replayed = await curlew(['replay', '1', '--data', scratch('data'), '--json']);
    expect(summaryIn(replayed)).toMatchObject({ health: original.health, records: original.records });
    expect(summaryIn(replayed).speculation).toEqual(original.speculation);
    expect(await sortedRecords(scratch('data'), '2')).toEqual(await sortedRecords(scratch('data'), '1'));
    expect(court.log.entries.length).toBe(requests);
  });
});

describe('what people see', () => {
  it('has the new values as they are written in a scraper', async () => {
    await open({ highest: 130, holes: [[50, 61]] });
    const args = runArguments(NUMBERED_CASES, court, scratch('data')).filter((arg) => arg !== '--json');
    expect((await curlew(args)).stdout).toContain('byNumber: { highestObserved: 130, largestObservedGap: 20 }');
  });

  it('has a map of the ids, as a drawing and as data', async () => {
    await open({ highest: 130, holes: [[50, 61]], sealed: [[70, 71]], softMissing: [[80, 80]] });
    await begin();
    const { stdout: drawn } = await curlew(['show', '1', '--data', scratch('data')]);
    expect(drawn).toContain('byNumber  115 hits, 33 absent, 2 refused; widest hole 12 of 20 (50–61)');
    expect(drawn).toMatch(/^ {2}1 █+▒?·+▒?█+×+█+[▒·]█+ 130 ┃·+ 150$/m);
    const { walks } = JSON.parse((await curlew(['show', '1', '--data', scratch('data'), '--json'])).stdout);
    expect(walks).toEqual([
      {
        speculator: 'byNumber',
        partition: {},
        definite: [1, 100],
        plus: 20,
        highest: 130,
        frontier: 150,
        from: 1,
        runs: '49h12a8h2b8h1a50h20a',
      },
    ]);
    expect([...decodeGapMap(walks[0])].find(({ verdict }) => verdict === 'blocked')).toMatchObject({
      from: 70,
      to: 71,
    });
  });

  it('curlew describe names the speculators', async () => {
    await open({});
    expect((await curlew(['describe', NUMBERED_CASES])).stdout).toContain(
      'byNumber  [--speculate byNumber=1..100] [--plus byNumber=20]',
    );
  });
});

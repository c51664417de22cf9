// What a run says about each of its entries, wherever a person or a program looks.

import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { curlew, resumeArguments, runArguments, summaryIn } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const NUMBERED_CASES = fileURLToPath(new URL('../../examples/numbered-cases.ts', import.meta.url));
const COUNTY_COURT = fileURLToPath(new URL('../../examples/county-court.ts', import.meta.url));

const scratch = scratchDirectory();
let court: RunningCourt;
afterEach(() => court.close());

const IDS = ['--speculate', 'byNumber=1..20', '--plus', 'byNumber=5'];

test('a sequence that was asked to its end is complete, in the summary, in show and after a replay', async () => {
  court = await startCourt({ seed: 5, highest: 22 });
  const data = scratch('data');
  const ended = await curlew([...runArguments(NUMBERED_CASES, court, data), ...IDS]);
  const expected = {
    entry: 'byNumber',
    kind: 'sequence',
    complete: true,
    expected: 27,
    verdicts: { done: 22, absent: 5 },
    statement: '27 ids asked for, 22 exist, 5 do not, none in the 5 after 22',
  };
  expect(summaryIn(ended).coverage).toEqual([expected]);
  const shown = await curlew(['show', 'latest', '--data', data]);
  expect(shown.stdout).toContain(`coverage  byNumber: complete, ${expected.statement}\n`);
  const replayed = await curlew(['replay', 'latest', '--data', data, '--file', NUMBERED_CASES, '--json']);
  expect(summaryIn(replayed).coverage).toEqual([expected]);
});

test('a sequence with an id that was refused is not complete until a resume has got it', async () => {
  court = await startCourt({ seed: 5, highest: 22 });
  const data = scratch('data');
  court.faults.set({ kind: 'status', status: 403, path: '/case/7' });
  const refused = await curlew([...runArguments(NUMBERED_CASES, court, data), ...IDS]);
  expect(summaryIn(refused)).toMatchObject({
    health: 'partial',
    coverage: [{ complete: false, statement: expect.stringContaining('1 without a usable answer') }],
  });
  court.faults.clear();
  const resumed = await curlew(resumeArguments(data));
  expect(summaryIn(resumed)).toMatchObject({ health: 'ok', coverage: [{ complete: true }] });
});

test('links claim nothing', async () => {
  court = await startCourt({ seed: 5, highest: 22 });
  const { coverage } = summaryIn(await curlew(runArguments(COUNTY_COURT, court, scratch('data'))));
  const claimsNothing = { kind: 'links', complete: null, expected: null, verdicts: {} };
  expect(coverage).toMatchObject([
    { entry: 'civil', ...claimsNothing },
    { entry: 'criminal', ...claimsNothing },
  ]);
});

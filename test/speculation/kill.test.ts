// For real: a court with 5,000 numbers, processes of the command line, and kill -9.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { type Random, seededRandom } from '../../src/platform/random.ts';
import {
  curlew,
  resumeArguments,
  runArguments,
  sortedRecords,
  startCurlew,
  summaryIn,
} from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const NUMBERED_CASES = fileURLToPath(new URL('../../examples/numbered-cases.ts', import.meta.url));
const HIGHEST = 5_000;
const KILLS = 10;

const scratch = scratchDirectory();
let court: RunningCourt;
beforeAll(async () => {
  court = await startCourt({
    seed: 11,
    highest: HIGHEST,
    // With the gap of 20 that the scraper declares, holes of 19 are as wide as they may be.
    holes: [
      [40, 90],
      [1_000, 1_018],
      [3_100, 3_118],
      [4_980, 4_998],
    ],
    holeRate: 0.03,
    softMissing: [[2_000, 2_017]],
    redirectMissing: [[2_500, 2_517]],
    latencyMs: [0, 3],
  });
});
afterAll(() => court.close());

/** What each life may do beyond that, so that all of them together do not come to the end. */
const MORE = 80;

/** Starts Curlew and kills it a moment after so many requests have arrived at the court. */
async function liveUntil(arrivals: number, args: string[], random: Random): Promise<NodeJS.Signals | null> {
  const before = court.log.entries.length;
  const arrival = (count: number) => court.log.arrival(({ n }) => n >= before + count);
  const life = startCurlew(args);
  await Promise.race([arrival(arrivals), life.ended]);
  await Promise.race([sleep(random.next() * 20), arrival(arrivals + MORE)]);
  life.kill('SIGKILL');
  return (await life.ended).signal;
}

describe.each([1, 8, 32])('with a concurrency of %i', (concurrency) => {
  it(`a walk that is killed ${KILLS} times finds every case once`, async () => {
    const random = seededRandom(concurrency);
    const data = scratch('data');
    const begin = [...runArguments(NUMBERED_CASES, court, data), '--concurrency', String(concurrency)];
    const share = HIGHEST / (KILLS + 2);
    for (let kill = 0; kill < KILLS; kill++) {
      const args = kill === 0 ? begin : resumeArguments(data);
      expect(await liveUntil(1 + Math.floor(random.next() * 2 * share), args, random)).toBe('SIGKILL');
    }
    const { health, speculation, records } = summaryIn(await curlew(resumeArguments(data)));

    const cases = court.expectedCases().map(({ id, number, title, filed }) => ({ id, number, title, filed }));
    const found = (await sortedRecords(data)).map((line) => JSON.parse(line).data);
    expect(found.sort((one, other) => one.id - other.id)).toEqual(cases);
    expect({ health, records }).toEqual({ health: 'ok', records: cases.length });
    expect(speculation?.byNumber).toMatchObject({
      definite: [1, 100],
      plus: 20,
      hits: cases.length,
      highestHit: HIGHEST,
      blocked: 0,
      unknown: 0,
      probes: HIGHEST + 20,
      finished: true,
    });
  });
});

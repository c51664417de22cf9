// G1: the instants at which a crash would hurt most, each of them several times in the life of one run.

import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import type { CrashPoint } from '../../src/platform/crash-point.ts';
import { checkArchive } from '../fixtures/check-archive.ts';
import { closing } from '../fixtures/closing.ts';
import { curlew, resultIn, resumeArguments, runArguments, sortedRecords } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const GRAPH = fileURLToPath(new URL('../fixtures/scrapers/graph.ts', import.meta.url));
const PAGES = 200;

/** One life after the other dies at the nth time that it reaches the point. Few claims come without a page to commit. */
const DEATHS: Readonly<Record<CrashPoint, readonly number[]>> = {
  'after-claim': [1, 2, 1, 1],
  'after-fetch': [1, 2, 9, 40],
  'after-archive': [1, 2, 9, 4],
  'before-commit': [1, 2, 9, 4],
  'after-commit': [1, 2, 9, 4],
};

const scratch = scratchDirectory();

describe('a run that dies again and again', () => {
  it.each(Object.entries(DEATHS))('%s loses nothing', async (point, deaths) => {
    const court = closing(await startCourt({ graphPages: PAGES, latencyMs: [0, 4] }));
    const data = scratch('data');
    for (const [life, nth] of deaths.entries()) {
      const args = life === 0 ? runArguments(GRAPH, court, data) : resumeArguments(data);
      const { signal } = await curlew(args, { env: { CURLEW_CRASH_AT: `${point}:${nth}` } });
      expect(signal, `life ${life} did not come to ${point} ${nth} times`).toBe('SIGKILL');
    }
    const last = await curlew(resumeArguments(data));
    expect(resultIn(last)).toMatchObject({ exitCode: 0, health: 'ok', requests: { done: PAGES }, records: 2 * PAGES });
    expect(new Set(await sortedRecords(data)).size).toBe(2 * PAGES);
    expect(await checkArchive(data)).toBe(PAGES);
  });
});

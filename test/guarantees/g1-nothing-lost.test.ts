// G1: kill -9 at any instant, any number of times, then resume: the final records, files and verdicts are those of an
// undisturbed run; no record twice. Real processes, killed for real.

import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { type Random, seededRandom } from '../../src/platform/random.ts';
import { checkArchive } from '../fixtures/check-archive.ts';
import { closing } from '../fixtures/closing.ts';
import {
  curlew,
  type Ended,
  resultIn,
  resumeArguments,
  runArguments,
  sortedRecords,
  startCurlew,
} from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const GRAPH = fileURLToPath(new URL('../fixtures/scrapers/graph.ts', import.meta.url));
const COUNTY_COURT = fileURLToPath(new URL('../../examples/county-court.ts', import.meta.url));

const scratch = scratchDirectory();

interface Killing {
  readonly court: RunningCourt;
  /** How often to kill. */
  readonly kills: number;
  /** Requests that an undisturbed run makes. */
  readonly requests: number;
  readonly random: Random;
}

/** Starting takes about this long: a life that is to end before its first request is killed within it. */
const STARTING_MS = 400;
const LONGEST_DELAY_MS = 15;

/** Begins a run and kills it again and again, at moments spread over the whole of it. Gives how the killed lives ended. */
async function killAgainAndAgain(scraper: string, data: string, killing: Killing): Promise<Ended[]> {
  const { court, kills, requests, random } = killing;
  const ends: Ended[] = [];
  const earlier = court.log.entries.length;
  while (ends.length < kills) {
    const asked = new Set(court.log.since(earlier).map(({ path }) => path)).size;
    // What is left to do for each of the lives to come; on average they get that far.
    const share = (requests - asked) / (kills - ends.length + 1);
    const drawn = Math.floor(random.next() * 2 * share);
    // The first life is to live long enough that there is a run to resume.
    const [args, least] = ends.length === 0 ? [runArguments(scraper, court, data), 1] : [resumeArguments(data), 0];
    ends.push(await liveUntil(Math.max(least, drawn), Math.ceil(share / 2), args, killing));
  }
  return ends;
}

/**
 * Starts Curlew and kills it a random moment after so many requests have arrived at the site, or before the first one.
 * However fast the machine is, it does not live longer than `more` further requests.
 */
async function liveUntil(arrivals: number, more: number, args: string[], { court, random }: Killing): Promise<Ended> {
  const before = court.log.entries.length;
  const arrival = (count: number) => court.log.arrival(({ n }) => n >= before + count);
  const life = startCurlew(args);
  if (arrivals > 0) await Promise.race([arrival(arrivals), life.ended]);
  const delayMs = random.next() * (arrivals > 0 ? LONGEST_DELAY_MS : STARTING_MS);
  await Promise.race([sleep(delayMs), arrival(arrivals > 0 ? arrivals + more : 1)]);
  life.kill('SIGKILL');
  return life.ended;
}

/** Every file under a directory, by path, with the hash of its content. */
async function filesUnder(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const hashed = paths.sort().map(async (path) => [path.slice(directory.length), hash('sha256', await readFile(path))]);
  return Object.fromEntries(await Promise.all(hashed));
}

describe('a crawl that is killed', () => {
  it('at 100 random moments comes to what an undisturbed one comes to', async () => {
    const pages = 2_000;
    const court = closing(await startCourt({ graphPages: pages }));
    // Some leaves of the graph are missing and some are refused for good, so that there is more than one verdict to lose.
    court.faults.set({ kind: 'status', status: 404, path: /^\/graph\/1\d\d7$/ });
    court.faults.set({ kind: 'status', status: 400, path: /^\/graph\/15\d3$/ });
    const undisturbed = await curlew(runArguments(GRAPH, court, scratch('undisturbed')));
    expect(resultIn(undisturbed)).toMatchObject({
      status: 'completed',
      requests: { done: 1_890, absent: 100, failed: 10 },
    });

    court.setLatency([2, 12]);
    const killing = { court, kills: 100, requests: pages, random: seededRandom(20_260_101) };
    const ends = await killAgainAndAgain(GRAPH, scratch('killed'), killing);
    expect(ends.map(({ signal }) => signal)).toEqual(Array(100).fill('SIGKILL'));
    const last = await curlew(resumeArguments(scratch('killed')));

    expect(resultIn(last)).toEqual(resultIn(undisturbed));
    const records = await sortedRecords(scratch('killed'));
    expect(records).toEqual(await sortedRecords(scratch('undisturbed')));
    expect(new Set(records).size).toBe(2 * 1_890);
    expect(await checkArchive(scratch('undisturbed'))).toBe(pages);
    expect(await checkArchive(scratch('killed'))).toBe(pages);
  });

  it('while it downloads has the same files, and no part of one', async () => {
    const court = closing(await startCourt({ seed: 5, highest: 60 }));
    const undisturbed = await curlew(runArguments(COUNTY_COURT, court, scratch('undisturbed')));
    expect(undisturbed.code).toBe(0);
    const requests = court.stats().requests;

    court.setLatency([2, 12]);
    const killing = { court, kills: 12, requests, random: seededRandom(7) };
    const ends = await killAgainAndAgain(COUNTY_COURT, scratch('killed'), killing);
    expect(ends.map(({ signal }) => signal)).toEqual(Array(12).fill('SIGKILL'));
    const last = await curlew(resumeArguments(scratch('killed')));

    expect(resultIn(last)).toEqual(resultIn(undisturbed));
    expect(await sortedRecords(scratch('killed'))).toEqual(await sortedRecords(scratch('undisturbed')));
    const files = await filesUnder(scratch('killed', 'files'));
    expect(files).toEqual(await filesUnder(scratch('undisturbed', 'files')));
    const documents = court.expectedDocuments().map(({ body }) => hash('sha256', body));
    expect(Object.values(files).sort()).toEqual([...new Set(documents)].sort());
    await checkArchive(scratch('killed'));
  });
});

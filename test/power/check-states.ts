// Power cuts, simulated: a run is recorded down to each write and sync of its archive, its files and its ledger; then states that
// a cut may leave are built and resumed. Each comes to what an undisturbed run comes to, and never to less that calls itself ok.
// For the test files beside it, which share the work.

import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deserialize } from 'node:v8';
import { beforeAll, expect } from 'vitest';
import { resume, run } from '../../src/engine/run.ts';
import type { Durability } from '../../src/ledger/database.ts';
import type { RunSummary } from '../../src/ledger/run.ts';
import { seededRandom } from '../../src/platform/random.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { findingsIn, type Outcome, outcomeOf, quickFiles, statusIn, withoutSync } from './after-crash.ts';
import { DiskHistory, writeState } from './crash-state.ts';
import { type SmallSite, SmallSiteScraper, smallSiteOptions, startSmallSite } from './small-site.ts';

const STATES = 550;
/** Worked on beside each other. */
const LANES = 4;

const scratch = scratchDirectory();

withoutSync();

let site: SmallSite;

beforeAll(async () => {
  site = await startSmallSite();
  return () => site.close();
});

async function record(durability: Durability): Promise<DiskHistory> {
  const program = fileURLToPath(new URL('record-run.ts', import.meta.url));
  const output = scratch('events');
  await promisify(execFile)(process.execPath, [program, site.url, scratch('recorded'), output, durability]);
  return new DiskHistory(deserialize(await readFile(output)));
}

/** Goes on after the power cut, as a person does: there is a run, or there is none. */
async function goOn(data: string, status: string | undefined): Promise<RunSummary> {
  const scraper = new SmallSiteScraper();
  const world = { disk: quickFiles };
  if (status === undefined) return run(scraper, { ...smallSiteOptions(site.url), data, world }).summary;
  return resume(scraper, { data, run: 1, world }).summary;
}

export interface Seen {
  /** How many states had a run of each status. */
  readonly statuses: Map<string, number>;
  /** How many had lost something of the archive. */
  losses: number;
}

async function checkState(history: DiskHistory, seed: number, whole: Outcome, seen: Seen): Promise<void> {
  const random = seededRandom(seed);
  // Every fifth after all that was done.
  const at = seed % 5 === 0 ? history.length : Math.floor((1 - random.next() ** 2) * history.length);
  const data = scratch(`state-${seed}`);
  await writeState(data, history.crashState(at, random));
  const where = `seed ${seed}, before event ${at} of ${history.length}`;
  const status = await statusIn(data);
  seen.statuses.set(`${status}`, (seen.statuses.get(`${status}`) ?? 0) + 1);
  if (at === history.length) expect(status, where).toBe('completed');
  if (status === 'completed') expect(await findingsIn(data), where).toEqual([]);
  const summary = await goOn(data, status);
  expect(await outcomeOf(data, summary), where).toEqual(whole);
  expect(await findingsIn(data), where).toEqual([]);
  if (summary.warnings.some((warning) => warning.startsWith('The archive had lost'))) seen.losses++;
  await rm(data, { recursive: true, maxRetries: 3 });
}

/** Builds the states, goes on from each, and compares what comes of it. */
export async function checkStates(durability: Durability): Promise<Seen> {
  const history = await record(durability);
  const undisturbed = await run(new SmallSiteScraper(), { ...smallSiteOptions(site.url), data: scratch('undisturbed') })
    .summary;
  const whole = await outcomeOf(scratch('undisturbed'), undisturbed);
  const seen: Seen = { statuses: new Map(), losses: 0 };
  const lane = async (first: number) => {
    for (let seed = first; seed <= STATES; seed += LANES) await checkState(history, seed, whole, seen);
  };
  const ended = await Promise.allSettled(Array.from({ length: LANES }, (_, index) => lane(index + 1)));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return seen;
}

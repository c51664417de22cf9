// G1: a resume does its first request within one second of the start, however long the queue is. Measured at the site,
// from before the process exists. Time in which others had the processor is not counted: the kernel tells how much.

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { type CurlewOptions, resumeArguments, runArguments, startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const LONG_LIST = fileURLToPath(new URL('../fixtures/scrapers/long-list.ts', import.meta.url));
const LIMIT_MS = 1_000;
const QUEUED = 200_000;
const RECORDS = 200_000;

const scratch = scratchDirectory();

/** Work that an entry does for each of its requests: enough that reading it again takes longer than the limit. */
const HASHES = 8;

/** With nothing compiled, as after an update; and with what the killed run has left, which is not what other tests have. */
const COLD = { env: { NODE_DISABLE_COMPILE_CACHE: '1' } };
const warm = () => ({ env: { NODE_COMPILE_CACHE: scratch('compiled') } });

/** Kills a run in the middle of its entry, with a long queue and many records behind it. */
async function leaveLongQueue(court: RunningCourt, data: string): Promise<void> {
  const length = { requests: 2 * QUEUED, urgent: QUEUED, records: RECORDS, hashes: HASHES };
  const params = Object.entries(length).flatMap(([name, value]) => ['--param', `${name}=${value}`]);
  const life = startCurlew([...runArguments(LONG_LIST, court, data), ...params], warm());
  await court.log.arrival(({ path }) => path === `/graph/${QUEUED}`);
  life.kill('SIGKILL');
  await life.ended;
}

async function firstRequestMs(court: RunningCourt, data: string, start: CurlewOptions): Promise<number> {
  const before = court.log.entries.length;
  const startedAt = performance.now();
  const life = startCurlew(resumeArguments(data), start);
  const { arrivedAt } = await court.log.arrival(({ n }) => n > before);
  const waitedMs = waitedForProcessorMs(life.pid);
  life.kill('SIGKILL');
  await life.ended;
  return arrivedAt - startedAt - waitedMs;
}

/** How long the main thread was ready to run while the processors did something else. */
function waitedForProcessorMs(pid: number): number {
  if (process.platform !== 'linux') return 0;
  // proc(5), schedstat: time on the processor, time waiting for it, in nanoseconds.
  const [, waitedNs] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
  return Number(waitedNs) / 1e6;
}

it('a resume with 200,000 requests in its queue asks the site within one second', async () => {
  const court = closing(await startCourt({ graphPages: 2 * QUEUED, latencyMs: 50 }));
  await leaveLongQueue(court, scratch('data'));
  // What was compiled outlives the kill.
  expect(readdirSync(scratch('compiled'))).not.toEqual([]);
  for (const start of [COLD, warm()]) {
    const times: number[] = [];
    for (let attempt = 0; attempt < 5; attempt++) times.push(await firstRequestMs(court, scratch('data'), start));
    const [, , median] = times.sort((one, other) => one - other);
    expect(median, `first requests after ${times.map(Math.round).join(', ')} ms`).toBeLessThan(LIMIT_MS);
  }
});

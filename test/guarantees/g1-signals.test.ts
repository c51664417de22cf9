// G1: stopped by hand (SIGINT, SIGTERM), a run finishes what is on the wire and hands back the rest, so that nothing is
// lost and nothing is asked for twice. A second signal does not even wait for the wire.

import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { checkArchive } from '../fixtures/check-archive.ts';
import { closing } from '../fixtures/closing.ts';
import {
  curlew,
  resultIn,
  resumeArguments,
  runArguments,
  sortedRecords,
  startCurlew,
} from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';

const GRAPH = fileURLToPath(new URL('../fixtures/scrapers/graph.ts', import.meta.url));
const LONG_LIST = fileURLToPath(new URL('../fixtures/scrapers/long-list.ts', import.meta.url));
const PAGES = 120;
const STOPPING = 'stopping after what is on the wire';

const scratch = scratchDirectory();

/** How often the site was asked for each page. */
function timesAsked(court: RunningCourt): number[] {
  const pages = court.log.entries.filter(({ path }) => path.startsWith('/graph/'));
  return [...Map.groupBy(pages, ({ path }) => path).values()].map((asked) => asked.length);
}

it.each(['SIGINT', 'SIGTERM'] as const)(
  '%s finishes what is on the wire, and a resume asks only for the rest',
  async (signal) => {
    const court = closing(await startCourt({ graphPages: PAGES, latencyMs: 300 }));
    const life = startCurlew(runArguments(GRAPH, court, scratch('data')));
    await court.log.arrival(({ inFlight }) => inFlight === 8);
    life.kill(signal);
    const stopped = await life.ended;
    expect(stopped.stderr).toContain(STOPPING);
    expect(resultIn(stopped)).toMatchObject({ exitCode: 130, status: 'interrupted' });
    expect(court.log.entries.map(({ status }) => status)).not.toContain(null);
    expect(resultIn(stopped).requests.done).toBe(timesAsked(court).length);
    expect(resultIn(stopped).requests.pending).toBeGreaterThan(0);

    court.setLatency(0);
    const resumed = await curlew(resumeArguments(scratch('data')));
    expect(resultIn(resumed)).toMatchObject({ exitCode: 0, requests: { done: PAGES, pending: 0 }, records: 2 * PAGES });
    expect(new Set(await sortedRecords(scratch('data'))).size).toBe(2 * PAGES);
    expect(timesAsked(court)).toEqual(Array(PAGES).fill(1));
    expect(await checkArchive(scratch('data'))).toBe(PAGES);
  },
);

it('a second signal ends a run that waits for answers which never come', async () => {
  const court = closing(await startCourt({ graphPages: PAGES }));
  court.faults.set({ kind: 'silent', path: /^\/graph\/\d\d+$/ });
  const life = startCurlew(runArguments(GRAPH, court, scratch('data')));
  await court.log.arrival(({ path, inFlight }) => /^\/graph\/\d\d+$/.test(path) && inFlight === 8);
  const stopping = life.says(STOPPING);
  life.kill('SIGINT');
  await stopping;
  // Signals that come together count as one (src/cli/drive-run.ts).
  await sleep(150);
  life.kill('SIGINT');
  expect(resultIn(await life.ended)).toMatchObject({ exitCode: 130, status: 'interrupted' });

  await court.faults.clear();
  const resumed = await curlew(resumeArguments(scratch('data')));
  expect(resultIn(resumed)).toMatchObject({ exitCode: 0, requests: { done: PAGES, pending: 0 }, records: 2 * PAGES });
  expect(new Set(await sortedRecords(scratch('data'))).size).toBe(2 * PAGES);
  expect(await checkArchive(scratch('data'))).toBe(PAGES);
});

it('a run that is stopped while it reads a long entry reads on from there', async () => {
  const requests = 60_001;
  const court = closing(await startCourt({ graphPages: requests, latencyMs: 20 }));
  const params = ['--param', `requests=${requests}`, '--param', 'urgent=20000'];
  // From within: whoever hears of it from outside may hear of it when all is read.
  const life = startCurlew([...runArguments(LONG_LIST, court, scratch('data')), ...params], {
    env: { LONG_LIST_INTERRUPTED_AT: '20000' },
  });
  const stopped = resultIn(await life.ended);
  expect(stopped).toMatchObject({ exitCode: 130, status: 'interrupted' });
  expect(stopped.requests.done + stopped.requests.pending).toBeLessThan(requests);

  const nextLife = startCurlew(resumeArguments(scratch('data')));
  await court.log.arrival(({ path }) => path === '/graph/60000');
  nextLife.kill('SIGINT');
  const read = resultIn(await nextLife.ended);
  expect(read.requests.done + read.requests.pending).toBe(requests);
  expect(timesAsked(court)).toEqual(Array(read.requests.done).fill(1));
});

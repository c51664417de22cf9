// G3 over processes: several commands at work on one data directory, none of which began another, are one visitor to a host.
// Measured at a server that is a process of its own. Real time.

import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../sim/request-log.ts';
import { LEASE_MS } from '../../src/fetch/noted/notes.ts';
import { Ledger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { type CurlewProcess, curlew, startCurlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { fullestSecond, gapsLeft, TOLERANCE_MS, tellingGaps } from './arrivals.ts';
import { type CourtProcess, courtProcess } from './court-process.ts';

const scratch = scratchDirectory();

/** Fetches `count` cases, the first of which is `first`, in a process of its own. */
async function startFetching(court: CourtProcess, first: number, count: number, rate: number): Promise<CurlewProcess> {
  const urls = Array.from({ length: count }, (_, index) => `${court.url}/case/${first + index}`);
  await writeFile(scratch(`${first}.txt`), urls.join('\n'));
  const options = ['--data', scratch('data'), '--json', '--rate', String(rate), '--allow-host', court.host];
  return startCurlew(['fetch', scratch(`${first}.txt`), ...options]);
}

async function kindsIn(process: CurlewProcess): Promise<string[]> {
  const { stdout } = await process.ended;
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).kind);
}

/** When each address was asked for last, by any of the runs. */
async function departures(): Promise<ReadonlyMap<string, number>> {
  const ledger = await Ledger.open(scratch('data'), { clock: systemClock, readOnly: true });
  const leftAt = new Map<string, number>();
  for (const { id } of await ledger.runs(10)) {
    for await (const { url, at } of ledger.requestStarts(id)) leftAt.set(url, at);
  }
  await ledger.close();
  return leftAt;
}

/** Five a second, where requests left and where they arrived. Gives the gaps that could be measured at the server. */
async function expectPace(court: CourtProcess, log: readonly LogEntry[]): Promise<number[]> {
  const leftAt = await departures();
  expect(fullestSecond(leftAt)).toBeLessThanOrEqual(5 + 1);
  expect(Math.min(...gapsLeft(leftAt))).toBeGreaterThanOrEqual(200 - TOLERANCE_MS);
  const telling = tellingGaps(court, log, leftAt);
  expect(Math.min(...telling)).toBeGreaterThanOrEqual(200 - TOLERANCE_MS);
  return telling;
}

const pathsOf = (log: readonly LogEntry[]) => log.map(({ path }) => path);

describe('three processes on one data directory and one host', () => {
  it('keep to five a second together, take turns, and ask for robots.txt once', async () => {
    const court = await courtProcess('--latency', '300-600');
    const processes = await Promise.all([1, 101, 201].map((first) => startFetching(court, first, 25, 5)));
    for (const process of processes) expect(await kindsIn(process)).toEqual(Array(25).fill('ok'));
    const log = await court.log();
    expect(log).toHaveLength(76);
    expect(pathsOf(log).filter((path) => path === '/robots.txt')).toHaveLength(1);
    const telling = await expectPace(court, log);
    expect(telling.length).toBeGreaterThan(0);
    const hosts = await curlew(['hosts', '--data', scratch('data'), '--json']);
    expect(JSON.parse(hosts.stdout)).toMatchObject({ host: court.host, requests: 76, robots: { allowed: 75 } });
    // By the time that the last of them has begun, each gets its share until the first has ended.
    const owners = pathsOf(log).map((path) => Math.floor(Number(path.split('/').at(-1)) / 100));
    const begun = Math.max(...[0, 1, 2].map((owner) => owners.indexOf(owner)));
    const middle = owners.slice(begun, begun + 30);
    for (const owner of [0, 1, 2]) expect(middle.filter((one) => one === owner).length).toBeGreaterThanOrEqual(8);
  });

  it('all stop for the Retry-After that one of them was told', async () => {
    const court = await courtProcess();
    await court.fault({ kind: 'status', status: 429, headers: { 'retry-after': '3' }, path: '/case/4', count: 1 });
    const processes = await Promise.all([1, 101, 201].map((first) => startFetching(court, first, 8, 4)));
    for (const process of processes) expect(await kindsIn(process)).toEqual(Array(8).fill('ok'));
    const log = await court.log();
    expect(log).toHaveLength(26);
    // What left before the refusal was heard was on its way already: at most one request of each other process.
    const refusedAt = log.find(({ status }) => status === 429)?.wallTime ?? Number.NaN;
    const times = [...(await departures()).values()].sort((one, other) => one - other);
    const held = gapsLeft(await departures()).findIndex((gap) => gap >= 3_000 - TOLERANCE_MS);
    expect(held).toBeGreaterThan(-1);
    expect(times.filter((at, index) => at > refusedAt && index <= held).length).toBeLessThanOrEqual(2);
  });

  it('go on without one that was killed, at the same pace', async () => {
    const court = await courtProcess();
    const [dying, ...living] = await Promise.all([1, 101, 201].map((first) => startFetching(court, first, 30, 5)));
    await expect.poll(async () => pathsOf(await court.log()).includes('/case/5')).toBe(true);
    dying?.kill('SIGKILL');
    await dying?.ended;
    for (const process of living) expect(await kindsIn(process)).toEqual(Array(30).fill('ok'));
    const log = await court.log();
    await expectPace(court, log);
  });

  it('go on without one that stands still, and it keeps to their pace when it comes back', async () => {
    const court = await courtProcess();
    const processes = await Promise.all([1, 101, 201].map((first) => startFetching(court, first, 25, 5)));
    for (const last of ['/case/3', '/case/103', '/case/203']) {
      await expect.poll(async () => pathsOf(await court.log()).includes(last)).toBe(true);
      const stopped = processes[Math.floor(Number(last.split('/').at(-1)) / 100)];
      stopped?.kill('SIGSTOP');
      const seen = (await court.log()).length;
      // Longer than its turn would be waited for.
      await systemClock.sleep(LEASE_MS + 1_000);
      stopped?.kill('SIGCONT');
      expect((await court.log()).length).toBeGreaterThan(seen);
    }
    for (const process of processes) expect(await kindsIn(process)).toEqual(Array(25).fill('ok'));
    const log = await court.log();
    await expectPace(court, log);
  });
});

// G3, measured where it counts: at the arrival times of a server that is a process of its own, against the command line as
// another. Real time; about forty seconds in all.

import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../sim/request-log.ts';
import { curlew } from '../fixtures/curlew-process.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { type CourtProcess, courtProcess } from './court-process.ts';

const scratch = scratchDirectory();
/** What timers and the way to the server may take off a gap. */
const TOLERANCE_MS = 5;

interface Fetched {
  readonly kinds: readonly string[];
  readonly receipt: { readonly hosts: readonly HostLine[] };
}
interface HostLine {
  readonly host: string;
  readonly requests: number;
  readonly shortestGapMs: number;
  readonly peakPerSecond: number;
  readonly crawlDelayMs: number | null;
  readonly retryAfters: readonly { readonly obeyed: boolean }[];
}

/** Fetches with eight workers, and reads the receipt. */
async function fetchAll(courts: readonly CourtProcess[], urls: readonly string[], rate: number): Promise<Fetched> {
  await writeFile(scratch('urls.txt'), urls.join('\n'));
  const data = ['--data', scratch('data'), '--json'];
  const allowed = courts.flatMap(({ host }) => ['--allow-host', host]);
  const fetching = ['fetch', scratch('urls.txt'), ...data, ...allowed, '--rate', String(rate), '--concurrency', '8'];
  const { stdout } = await curlew(fetching);
  const kinds = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).kind);
  const receipt = JSON.parse((await curlew(['hosts', '--receipt', 'latest', ...data])).stdout);
  return { kinds, receipt };
}

const cases = (court: CourtProcess, count: number) =>
  Array.from({ length: count }, (_, index) => `${court.url}/case/${index + 1}`);

function gaps(log: readonly LogEntry[]): number[] {
  return log.slice(1).map(({ arrivedAt }, index) => arrivedAt - (log[index]?.arrivedAt ?? 0));
}

function fullestSecond(log: readonly LogEntry[]): number {
  const times = log.map(({ arrivedAt }) => arrivedAt);
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 1_000).length));
}

// A machine that is busy with other tests may hold a process up for longer than the tolerance; no machine makes a client
// that is too quick slow three times in a row.
describe('at the server', { retry: 2 }, () => {
  it('eight workers at five a second never come nearer to each other, for twenty seconds', async () => {
    // Slower than the rate, so that several requests are under way at any time.
    const court = await courtProcess('--latency', '500-900');
    const { kinds, receipt } = await fetchAll([court], cases(court, 100), 5);
    const log = await court.log();
    expect(kinds).toEqual(Array(100).fill('ok'));
    expect(log).toHaveLength(101);
    expect((log.at(-1)?.arrivedAt ?? 0) - (log[0]?.arrivedAt ?? 0)).toBeGreaterThanOrEqual(20_000 - TOLERANCE_MS);
    expect(Math.min(...gaps(log))).toBeGreaterThanOrEqual(200 - TOLERANCE_MS);
    expect(fullestSecond(log)).toBeLessThanOrEqual(5 + 1);
    expect(Math.max(...log.map(({ inFlight }) => inFlight))).toBeGreaterThan(2);
    // The receipt says what the server saw.
    const [mine] = receipt.hosts;
    expect(mine).toMatchObject({ host: court.host, requests: 101 });
    expect(mine?.shortestGapMs).toBeGreaterThanOrEqual(200 - TOLERANCE_MS);
    expect(mine?.peakPerSecond).toBeLessThanOrEqual(6);
  }, 60_000);

  it('crawl-delay makes them slower', async () => {
    const court = await courtProcess();
    await court.fault({ kind: 'status', status: 200, body: 'User-agent: *\nCrawl-delay: 2\n', path: '/robots.txt' });
    const { receipt } = await fetchAll([court], cases(court, 4), 50);
    const log = await court.log();
    expect(log).toHaveLength(5);
    expect(Math.min(...gaps(log))).toBeGreaterThanOrEqual(2_000 - TOLERANCE_MS);
    expect(receipt.hosts).toMatchObject([{ crawlDelayMs: 2_000 }]);
  });

  it('Retry-After stops all of them, and none comes early', async () => {
    const court = await courtProcess('--latency', '300');
    await court.fault({ kind: 'status', status: 429, headers: { 'retry-after': '3' }, path: '/case/5', count: 1 });
    const { kinds, receipt } = await fetchAll([court], cases(court, 20), 20);
    const log = await court.log();
    expect(kinds).toEqual(Array(20).fill('ok'));
    const refused = log.find(({ status }) => status === 429);
    if (refused === undefined) return expect.fail('nothing was refused');
    const heardAt = refused.arrivedAt + 300;
    const early = log.filter(({ arrivedAt }) => arrivedAt > heardAt + 50 && arrivedAt < heardAt + 3_000 - TOLERANCE_MS);
    expect(early).toEqual([]);
    expect(log.filter(({ arrivedAt }) => arrivedAt >= heardAt + 3_000 - TOLERANCE_MS).length).toBeGreaterThan(5);
    expect(receipt.hosts).toMatchObject([{ retryAfters: [{ obeyed: true }] }]);
  });

  it('two hosts do not wait for each other', async () => {
    const [slow, quick] = await Promise.all([courtProcess(), courtProcess()]);
    await slow.fault({ kind: 'status', status: 429, headers: { 'retry-after': '4' }, path: '/case/', count: 1 });
    await fetchAll([slow, quick], [...cases(slow, 20), ...cases(quick, 20)], 20);
    const refused = (await slow.log()).find(({ status }) => status === 429);
    const resumed = (await slow.log()).find(({ path, status }) => path.startsWith('/case/') && status === 200);
    const last = (await quick.log()).at(-1);
    expect((await quick.log()).length).toBe(21);
    // The quick one is done long before the slow one goes on. Wall time: they are two processes.
    expect((resumed?.wallTime ?? 0) - (refused?.wallTime ?? 0)).toBeGreaterThanOrEqual(4_000 - TOLERANCE_MS);
    expect(last?.wallTime).toBeLessThan((resumed?.wallTime ?? 0) - 1_000);
  });
});

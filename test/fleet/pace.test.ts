// G3 for a fleet, measured where it counts: eight worker processes that share one Redis, against a server that is a process
// of its own. Real time; about a minute in all. As in test/politeness/pace.test.ts, a request that this machine held up on
// its way proves nothing about its successor.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { LogEntry } from '../../sim/request-log.ts';
import { ownRedisOrSkip } from '../fixtures/services.ts';
import { type CourtProcess, courtProcess } from '../politeness/court-process.ts';
import type { WorkerLine, WorkerTask } from './pace-worker.ts';

const WORKER = fileURLToPath(new URL('pace-worker.ts', import.meta.url));
const WORKERS = 8;
/** What timers and the way to the server may take off a gap. */
const TOLERANCE_MS = 5;

const redis = await ownRedisOrSkip();
const living = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of living) child.kill('SIGKILL');
  await Promise.all([...living].map((child) => once(child, 'exit')));
});

/** Runs one worker to its end, and gives what it wrote. */
async function runWorker(task: WorkerTask): Promise<WorkerLine[]> {
  const child = spawn(process.execPath, [WORKER, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit'] });
  living.add(child);
  child.once('exit', () => living.delete(child));
  const lines: WorkerLine[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line)));
  const [code] = await once(child, 'close');
  expect(code).toBe(0);
  return lines;
}

/** Every worker has its share of `pages` cases. */
async function runFleet(court: CourtProcess, pages: number, task: Omit<WorkerTask, 'redis' | 'urls'>) {
  const urls = Array.from({ length: pages }, (_, index) => `${court.url}/case/${index + 1}`);
  const shares = Array.from({ length: WORKERS }, (_, worker) => urls.filter((_url, n) => n % WORKERS === worker));
  const address = redis?.address ?? '';
  const written = await Promise.all(shares.map((share) => runWorker({ ...task, redis: address, urls: share })));
  const lines = written.flat();
  const ended = lines.filter((line) => line.kind === 'page');
  const fetched = ended.filter(({ outcome }) => outcome === 'ok').length;
  return { lines, fetched, leftAt: new Map(ended.map(({ url, at }) => [url, at])) };
}

const gapsOf = (log: readonly LogEntry[]) =>
  log.slice(1).map(({ arrivedAt }, index) => arrivedAt - (log[index]?.arrivedAt ?? 0));

function fullestSecond(log: readonly LogEntry[]): number {
  const times = log.map(({ arrivedAt }) => arrivedAt);
  return Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 1_000).length));
}

/** The gaps after requests that came as soon as they left. */
function tellingGaps(court: CourtProcess, log: readonly LogEntry[], leftAt: ReadonlyMap<string, number | undefined>) {
  return gapsOf(log).filter((_, index) => {
    const { path = '', wallTime = 0 } = log[index] ?? {};
    return wallTime - (leftAt.get(court.url + path) ?? Number.NEGATIVE_INFINITY) <= TOLERANCE_MS;
  });
}

/** Resolves when so many requests have arrived. */
async function arrivals(court: CourtProcess, count: number): Promise<void> {
  while ((await court.log()).length < count) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('eight worker processes on one host', () => {
  it('keep to five a second together, and ask for robots.txt once', async () => {
    // Slower than the rate, so that several requests are under way at any time.
    const court = await courtProcess('--latency', '300-600');
    const { fetched, leftAt } = await runFleet(court, 80, { rate: 5, robots: 'allow' });
    const log = await court.log();
    expect(fetched).toBe(80);
    expect(log.filter(({ path }) => path === '/robots.txt')).toHaveLength(1);
    expect(log).toHaveLength(81);
    expect((log.at(-1)?.arrivedAt ?? 0) - (log[0]?.arrivedAt ?? 0)).toBeGreaterThanOrEqual(80 * 200 - TOLERANCE_MS);
    expect(Math.max(...log.map(({ inFlight }) => inFlight))).toBeGreaterThan(1);
    expect(fullestSecond(log)).toBeLessThanOrEqual(5 + 1);
    const telling = tellingGaps(court, log, leftAt);
    expect(telling.length).toBeGreaterThan(40);
    expect(Math.min(...telling)).toBeGreaterThanOrEqual(200 - TOLERANCE_MS);
  }, 90_000);

  it('keep to it when Redis is killed in the middle and comes back empty', async () => {
    const court = await courtProcess();
    const running = runFleet(court, 60, { rate: 5, robots: 'allow' });
    await arrivals(court, 20);
    await redis?.kill();
    const killedAt = (await court.log()).length;
    await rm(join(redis?.directory ?? '', 'appendonlydir'), { recursive: true });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    // What had its turn may still have come.
    expect((await court.log()).length).toBeLessThanOrEqual(killedAt + 1);
    await redis?.start();
    const { fetched, lines, leftAt } = await running;
    const log = await court.log();
    expect(fetched).toBe(60);
    expect(log).toHaveLength(61);
    expect(fullestSecond(log)).toBeLessThanOrEqual(5 + 1);
    expect(Math.min(...tellingGaps(court, log, leftAt))).toBeGreaterThanOrEqual(200 - TOLERANCE_MS);
    const said = lines.flatMap((line) => (line.kind === 'redis' ? [line.status] : []));
    expect(said.filter((status) => status === 'unreachable')).not.toEqual([]);
    expect(said.filter((status) => status === 'reachable').length).toBe(
      said.filter((status) => status === 'unreachable').length,
    );
  }, 90_000);

  it('all stop for the Retry-After that one of them was told', async () => {
    const court = await courtProcess();
    await court.fault({ kind: 'status', status: 429, headers: { 'retry-after': '3' }, path: '/case/9', count: 1 });
    const { fetched } = await runFleet(court, 16, { rate: 2, robots: 'off' });
    const log = await court.log();
    expect(fetched).toBe(16);
    const refused = log.findIndex(({ status }) => status === 429);
    const [before, after] = [log[refused], log[refused + 1]];
    // The next turn came half a second after the refusal, time enough to hear of it.
    expect((after?.arrivedAt ?? 0) - (before?.arrivedAt ?? 0)).toBeGreaterThanOrEqual(3_000 - TOLERANCE_MS);
  }, 60_000);

  it('all wait while the host is down, and one of them probes', async () => {
    const court = await courtProcess();
    await court.fault({ kind: 'status', status: 503, path: '/', count: 7 });
    const breaker = { failureThreshold: 5, initialDelayMs: 500, maxDelayMs: 2_000, multiplier: 2 };
    const { fetched } = await runFleet(court, 24, { rate: 5, robots: 'off', breaker });
    const log = await court.log();
    expect(fetched).toBe(24);
    // Five failures, two probes that fail, one that does not, and then the pages.
    expect(log.map(({ method }) => method)).toEqual([
      ...Array(5).fill('GET'),
      ...Array(3).fill('HEAD'),
      ...Array(24).fill('GET'),
    ]);
    const gaps = gapsOf(log).slice(4, 7);
    for (const [index, delayMs] of [500, 1_000, 2_000].entries())
      expect(gaps[index]).toBeGreaterThanOrEqual(delayMs - TOLERANCE_MS);
  }, 60_000);
});

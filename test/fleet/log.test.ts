// The log of a worker: every line says who wrote it, when, and how bad it is.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { FETCHER_EVENTS } from '../../src/fetcher/fetcher-events.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { FAST, startWorker } from './fleet.ts';

const scratch = scratchDirectory();
const BIN = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Every number in a line that can only be a time in milliseconds. */
function epochsIn(value: unknown): number[] {
  if (typeof value === 'number') return value > 1e12 && value < 1e13 ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(epochsIn) : [];
}

it('every line has the worker, its level and ISO times, whatever happened', async () => {
  const court = closing(await startCourt({ highest: 20 }));
  const env = { ...FAST, CURLEW_DATA: scratch('data'), PAGE_FETCHER_CIRCUIT_BREAKER_INITIAL_BACKOFF_SECONDS: '0.2' };
  const cases = (first: number, count: number) =>
    Array.from({ length: count }, (_, n) => `${court.url}/case/${first + n}`);
  const enqueue = (...urls: string[]) =>
    promisify(execFile)(process.execPath, [BIN, 'enqueue', ...urls], { env: { ...process.env, ...env } });
  court.faults.set({ kind: 'status', status: 429, headers: { 'retry-after': '1' }, path: '/case/1', count: 1 });
  await enqueue(...cases(1, 1), `${court.url}/case/999`, `${court.url}/private/1`);
  const worker = startWorker(env);
  await Promise.all(['retry_after', 'rate_limited', 'failed', 'skipped'].map((event) => worker.says(event)));
  const outage = court.faults.set({ kind: 'status', status: 503, path: '/' });
  await enqueue(...cases(2, 10));
  await worker.says('circuit_open');
  await court.faults.clear(outage);
  await worker.says('circuit_closed');
  worker.signal('SIGTERM');
  expect(await worker.ended).toBe(0);

  const name = String(worker.lines[0]?.worker);
  expect(name).toMatch(/-\d+-[0-9a-f]+$/);
  for (const line of worker.lines) {
    expect(line).toMatchObject({ worker: name, time: expect.stringMatching(ISO) });
    expect([line.event, line.level]).toEqual([line.event, levelOf(line.event)]);
    expect([line.event, epochsIn(line)]).toEqual([line.event, []]);
  }
  expect(worker.lines.find(({ event }) => event === 'retry_after')).toMatchObject({
    at: expect.stringMatching(ISO),
    until: expect.stringMatching(ISO),
  });
  const levels = Object.fromEntries(worker.lines.map(({ event, level }) => [event, level]));
  expect(levels).toMatchObject({ started: 'info', circuit_open: 'warn', circuit_closed: 'info', failed: 'warn' });
});

function levelOf(event: string): string {
  const known = new Map(Object.entries(FETCHER_EVENTS));
  return known.get(event)?.level ?? expect.fail(`${event} is not among the events of the fetcher`);
}

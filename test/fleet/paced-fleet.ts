// Eight worker processes that share one Redis, against a server that is a process of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect } from 'vitest';
import type { CourtProcess } from '../politeness/court-process.ts';
import type { WorkerLine, WorkerTask } from './pace-worker.ts';

const WORKER = fileURLToPath(new URL('pace-worker.ts', import.meta.url));
const WORKERS = 8;

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
export async function runFleet(
  redis: string,
  court: CourtProcess,
  pages: number,
  task: Omit<WorkerTask, 'redis' | 'urls'>,
) {
  const urls = Array.from({ length: pages }, (_, index) => `${court.url}/case/${index + 1}`);
  const shares = Array.from({ length: WORKERS }, (_, worker) => urls.filter((_url, n) => n % WORKERS === worker));
  const written = await Promise.all(shares.map((share) => runWorker({ ...task, redis, urls: share })));
  const lines = written.flat();
  const ended = lines.filter((line) => line.kind === 'page');
  const fetched = ended.filter(({ outcome }) => outcome === 'ok').length;
  return { lines, fetched, leftAt: new Map(ended.map(({ url, at }) => [url, at])) };
}

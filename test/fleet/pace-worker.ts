// One worker of a fleet, reduced to its fetching: a process of its own that shares politeness through Redis. It gets its
// task as JSON in its argument, and writes a line for every page, in JSON.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '../../src/archive/file-store.ts';
import { createPipeline } from '../../src/fetch/create-pipeline.ts';
import { NO_MEMORY } from '../../src/fetch/fetch-memory.ts';
import type { BreakerSettings } from '../../src/fetch/politeness/breaker-state.ts';
import { RedisPoliteness } from '../../src/fetcher/redis/politeness/redis-politeness.ts';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { systemRandom as random } from '../../src/platform/random.ts';

export interface WorkerTask {
  readonly redis: string;
  readonly urls: readonly string[];
  readonly rate: number;
  readonly robots: 'allow' | 'off';
  readonly breaker?: BreakerSettings;
}

export type WorkerLine =
  /** `at` is when its request left, in wall time. */
  | { readonly kind: 'page'; readonly url: string; readonly outcome: string; readonly at: number | undefined }
  | { readonly kind: 'redis'; readonly status: string };

const write = (line: WorkerLine) => process.stdout.write(`${JSON.stringify(line)}\n`);
const task: WorkerTask = JSON.parse(process.argv[2] ?? '');
const never = new AbortController().signal;
const directory = await mkdtemp(join(tmpdir(), 'curlew-worker-'));
const connection = await RedisConnection.open(task.redis, { clock });
const shared = new RedisPoliteness(connection, {
  clock,
  random,
  onStatus: ({ kind }) => write({ kind: 'redis', status: kind }),
});
const pipeline = createPipeline(
  {
    rate: task.rate,
    robots: task.robots,
    allowHosts: ['127.0.0.1'],
    maxPageBytes: 2 ** 20,
    maxFileBytes: 2 ** 20,
    totalTimeoutMs: 10_000,
  },
  {
    files: await FileStore.open(directory),
    memory: NO_MEMORY,
    clock,
    random,
    shared,
    ...(task.breaker !== undefined && { breaker: task.breaker }),
  },
);

const queue = [...task.urls];
const page = { headers: {}, cookies: {}, body: undefined, session: 'default', waitFor: undefined } as const;

/** What is not answered goes back to the end, as in a fleet's queue. */
async function work(): Promise<void> {
  for (let url = queue.shift(); url !== undefined; url = queue.shift()) {
    const patience = { stop: never, abort: never };
    const outcome = await pipeline.fetch({ ...page, method: 'GET', url, saves: 'page', via: 'http' }, patience);
    write({ kind: 'page', url, outcome: outcome.kind, at: outcome.exchanges.at(-1)?.at });
    if (outcome.kind === 'site_wide' || outcome.kind === 'rate_limited') queue.push(url);
  }
}

await Promise.all([work(), work()]);
await pipeline.close();
await shared.close();
await connection.close();
await rm(directory, { recursive: true });

// A fleet as its users have it: worker processes of the command line, a queue, a topic and dead letters of the test's own on a
// real Redis and a real Kafka. No process outlives its test.

import { type ChildProcess, spawn } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, onTestFinished } from 'vitest';
import type { FetcherBackend } from '../../src/fetcher/fetcher-backend.ts';
import { readFetcherConfig } from '../../src/fetcher/fetcher-config.ts';
import { openBackend } from '../../src/fetcher/fetcher-place.ts';
import type { WebpageEvent } from '../../src/fetcher/webpage-event.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { readTopic } from '../fixtures/topic.ts';

const BIN = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));
const COMPILE_CACHE = join(tmpdir(), 'curlew-test-compile-cache');

export type Env = Readonly<Record<string, string>>;

/** A line of a worker's log. */
type LogLine = Readonly<Record<string, unknown>> & { readonly event: string };

export interface WorkerProcess {
  readonly pid: number;
  /** Everything it has logged so far. */
  readonly lines: readonly LogLine[];
  /** The next or an earlier line of that kind. Fails when the process ends without it. */
  says(event: string): Promise<LogLine>;
  signal(signal: NodeJS.Signals): void;
  /** Its exit code; null when it was killed. */
  readonly ended: Promise<number | null>;
  /** What an address of its endpoint answers: `/metrics`, `/readyz`. */
  ask(path: string): Promise<{ readonly status: number; readonly text: string; readonly type: string }>;
}

const living = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of living) child.kill('SIGKILL');
  await Promise.all([...living].map((child) => once(child, 'exit')));
});

/** Fast, on loopback, and with an endpoint on any free port. */
export const FAST: Env = {
  PAGE_FETCHER_ALLOW_HOSTS: '127.0.0.1',
  PAGE_FETCHER_RATE_LIMIT_PER_SECOND: 'off',
  PAGE_FETCHER_POLL_TIMEOUT_SECONDS: '0.2',
  PAGE_FETCHER_METRICS_PORT: '0',
};

/** Starts `curlew fetcher`. */
export function startWorker(env: Env, ...args: string[]): WorkerProcess {
  const child = spawn(process.execPath, [BIN, 'fetcher', ...args], {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...ownEnvironment(), NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
  });
  living.add(child);
  const lines: LogLine[] = [];
  const heard = new EventTarget();
  createInterface({ input: child.stderr }).on('line', (text) => {
    lines.push(readLine(text));
    heard.dispatchEvent(new Event('line'));
  });
  const ended = once(child, 'close').then(([code]) => {
    living.delete(child);
    heard.dispatchEvent(new Event('line'));
    return code as number | null;
  });
  const worker: WorkerProcess = {
    pid: child.pid ?? Number.NaN,
    lines,
    async says(event) {
      for (;;) {
        const found = lines.find((line) => line.event === event);
        if (found !== undefined) return found;
        if (child.exitCode !== null || child.signalCode !== null) {
          return expect.fail(`The worker ended without ${event}: ${JSON.stringify(lines)}`);
        }
        await once(heard, 'line');
      }
    },
    signal: (signal) => child.kill(signal),
    ended,
    async ask(path) {
      const { metrics } = await worker.says('listening');
      const response = await fetch(new URL(path, String(metrics)));
      return { status: response.status, text: await response.text(), type: response.headers.get('content-type') ?? '' };
    },
  };
  return worker;
}

function readLine(text: string): LogLine {
  try {
    return JSON.parse(text);
  } catch {
    return { event: 'not JSON', text };
  }
}

/** Without what the tests themselves were told about Redis and Kafka. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PAGE_FETCHER_')));
}

export interface Fleet extends FetcherBackend {
  /** For its workers, and for every other command. */
  readonly env: Env;
  readonly queueName: string;
  /** Resolves when nothing waits, is in hand, or is on its way to Kafka. */
  finished(timeoutMs?: number): Promise<void>;
  /** All events of the topic, each partition in order. */
  events(): Promise<WebpageEvent[]>;
}

/** Names of its own on these servers; nothing is running yet. */
export async function ownFleet(redis: string, kafka: string, settings: Env = {}): Promise<Fleet> {
  const own = randomUUID();
  const env: Env = {
    ...FAST,
    PAGE_FETCHER_REDIS_URL: redis,
    PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS: kafka,
    PAGE_FETCHER_INPUT_QUEUE: `queue-${own}`,
    PAGE_FETCHER_DLQ_QUEUE: `dead-${own}`,
    PAGE_FETCHER_WEBPAGE_LOG_TOPIC: `log-${own}`,
    ...settings,
  };
  const backend = await openBackend({ kind: 'fleet' }, readFetcherConfig(env), systemClock);
  onTestFinished(() => backend.close());
  return {
    ...backend,
    env,
    queueName: `queue-${own}`,
    async finished(timeout = 60_000) {
      const left = async () => ({ ...(await backend.queue.size()), outbox: await backend.outbox.size() });
      await expect.poll(left, { timeout, interval: 100 }).toEqual({ waiting: 0, leased: 0, outbox: 0 });
    },
    async events() {
      return (await readTopic(kafka, `log-${own}`)).map(({ value }) => JSON.parse(value));
    },
  };
}

/** Every event has the body it tells of in the cache, and that is the page as its server gives it now. */
export async function expectRightBodies({ cache }: FetcherBackend, events: readonly WebpageEvent[]): Promise<void> {
  const wrong: string[] = [];
  const check = async ({ url, cache_key, content_hash }: WebpageEvent) => {
    const cached = await cache.get(cache_key);
    const page = Buffer.from(await (await fetch(url)).arrayBuffer());
    const right = cached !== undefined && page.equals(cached) && hash('sha256', page) === content_hash;
    if (!right) wrong.push(url);
  };
  for (let first = 0; first < events.length; first += 16) await Promise.all(events.slice(first, first + 16).map(check));
  expect(wrong).toEqual([]);
}

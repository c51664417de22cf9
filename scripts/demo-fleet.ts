// A fleet at work in half a minute: two workers on a real Redis and a real Kafka fetch two simulated courts. One worker is
// killed, one court goes down for a while; every page is fetched, told of once, and nothing is given up.
//   npm run demo:fleet

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type RunningCourt, startCourt } from '../sim/court/court.ts';
import type { EventReader } from '../src/fetcher/event-reader.ts';
import type { FetcherBackend } from '../src/fetcher/fetcher-backend.ts';
import { readFetcherConfig } from '../src/fetcher/fetcher-config.ts';
import { openBackend } from '../src/fetcher/fetcher-place.ts';
import { KafkaEventReader } from '../src/fetcher/kafka/kafka-event-reader.ts';
import { systemClock } from '../src/platform/clock.ts';
import { kafka } from './services/kafka.ts';
import { redis } from './services/redis.ts';
import type { RunningServer } from './services/running-server.ts';
import type { Server } from './services/service.ts';

const PAGES = 60;
const RATE = 10;
const DOWN_MS = 4_000;
/** Beyond this something is wrong. */
const LIMIT_MS = 120_000;
const BIN = fileURLToPath(new URL('../bin/curlew.js', import.meta.url));

const say = (text: string) => process.stdout.write(`${text}\n`);
const running = new Set<ChildProcess>();

/** The log of a worker has a line for everything that happens; these are shown. */
const SHOWN = new Set(['circuit_open', 'circuit_closed', 'redis_away', 'kafka_away', 'paused', 'late_result']);

async function startWorker(name: string, env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [BIN, 'fetcher'], {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...process.env, ...env },
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const begun = Promise.withResolvers<void>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    const { event, host, nextProbeSeconds, metrics } = JSON.parse(line);
    if (event === 'listening') say(`  ${name} (process ${child.pid}) serves ${metrics}`);
    if (event === 'started') begun.resolve();
    if (SHOWN.has(event)) {
      say(`  ${name}: ${event} ${host ?? ''}${nextProbeSeconds ? `, next probe in ${nextProbeSeconds} s` : ''}`);
    }
  });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${name} ended before it began`);
  });
  await Promise.race([begun.promise, ended]);
  ended.catch(() => {});
  return child;
}

/** What the environment names, or one of our own. */
async function serve(server: Server): Promise<{ address: string; own: RunningServer | undefined }> {
  const given = server.given();
  if (given !== undefined) return { address: given, own: undefined };
  const ensured = await server.ensure();
  if (ensured.kind === 'missing') throw new Error(`There is no ${server.name}: ${ensured.reason}`);
  const own = await server.start();
  return { address: own.address, own };
}

const pagesAt = (courts: readonly RunningCourt[]) =>
  courts.flatMap(({ log }) => log.entries).filter(({ path, status }) => path.startsWith('/case/') && status === 200);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; !(await condition()); waitedMs += 100) {
    if (waitedMs > LIMIT_MS) throw new Error('It takes too long.');
    await sleep(100);
  }
}

async function showFleet(
  env: Readonly<Record<string, string>>,
  backend: FetcherBackend,
  reader: EventReader,
): Promise<boolean> {
  const courts = [await startCourt({ seed: 1, highest: PAGES }), await startCourt({ seed: 2, highest: PAGES })];
  const [first, second] = courts;
  try {
    say('Two workers:');
    const doomed = await startWorker('worker 1', env);
    await startWorker('worker 2', env);
    const urls = courts.flatMap(({ url }) => Array.from({ length: PAGES }, (_, n) => `${url}/case/${n + 1}`));
    await backend.queue.enqueue(urls);
    say(`${urls.length} pages of two courts are queued, at ${RATE} a second for each court.`);

    await until(() => pagesAt(courts).length >= 20);
    say(`Worker 1 is killed (SIGKILL) after ${pagesAt(courts).length} pages. What it held goes to others in 3 s.`);
    doomed.kill('SIGKILL');
    await startWorker('worker 3', env);

    say(`The second court goes down for ${DOWN_MS / 1_000} s. The first goes on.`);
    const before = pagesAt([first].filter((court) => court !== undefined)).length;
    second?.faults.set({ kind: 'status', status: 503, path: '/' });
    await sleep(DOWN_MS);
    const during = pagesAt([first].filter((court) => court !== undefined)).length - before;
    say(`Meanwhile ${during} pages of the first court were fetched. The second comes back.`);
    await second?.faults.clear();

    await until(async () => {
      const { waiting, leased } = await backend.queue.size();
      return waiting + leased + (await backend.outbox.size()) === 0;
    });
    const events = [];
    for (let batch = await reader.next(); batch.length > 0; batch = await reader.next()) events.push(...batch);
    const told = new Set(events.map(({ url }) => url)).size;
    const deadLetters = await backend.deadLetters.size();
    const again = pagesAt(courts).length - urls.length;
    say(
      `${events.length} events for ${told} of ${urls.length} pages; ${deadLetters} dead letters; ${again} fetched again.`,
    );
    return events.length === urls.length && told === urls.length && deadLetters === 0;
  } finally {
    for (const child of running) child.kill('SIGTERM');
    await Promise.all([...running].map((child) => once(child, 'exit')));
    await Promise.all(courts.map((court) => court.close()));
  }
}

const servers = [await serve(redis), await serve(kafka)];
const [redisUrl = '', bootstrapServers = ''] = servers.map(({ address }) => address);
say(`Redis at ${redisUrl}, Kafka at ${bootstrapServers}.`);
const own = randomUUID().slice(0, 8);
const env = {
  PAGE_FETCHER_REDIS_URL: redisUrl,
  PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS: bootstrapServers,
  PAGE_FETCHER_INPUT_QUEUE: `demo_${own}`,
  PAGE_FETCHER_DLQ_QUEUE: `demo_${own}_dlq`,
  PAGE_FETCHER_WEBPAGE_LOG_TOPIC: `demo_${own}_log`,
  PAGE_FETCHER_ALLOW_HOSTS: '127.0.0.1',
  PAGE_FETCHER_RATE_LIMIT_PER_SECOND: `${RATE}`,
  PAGE_FETCHER_LEASE_SECONDS: '3',
  PAGE_FETCHER_POLL_TIMEOUT_SECONDS: '0.5',
  PAGE_FETCHER_METRICS_PORT: '0',
  PAGE_FETCHER_CIRCUIT_BREAKER_INITIAL_BACKOFF_SECONDS: '1',
  PAGE_FETCHER_CIRCUIT_BREAKER_MAX_BACKOFF_SECONDS: '2',
};
const backend = await openBackend({ kind: 'fleet' }, readFetcherConfig(env), systemClock);
const topic = env.PAGE_FETCHER_WEBPAGE_LOG_TOPIC;
const reader = new KafkaEventReader({ bootstrapServers, topic, from: { kind: 'beginning' }, clock: systemClock });
try {
  process.exitCode = (await showFleet(env, backend, reader)) ? 0 : 1;
} finally {
  await reader.close();
  await backend.close();
  for (const { own: server } of servers) await server?.close();
}

// URLs per second of the page fetcher on loopback, rate off: alone in a data directory, and as a fleet of 1, 2 and 4 workers on
// a Redis and a Kafka of its own. From the queueing of the first URL until the last event is in the log, workers warm.
//   npx node bench/fleet/fleet.ts [--urls 5000] [--latency 0] [--workers 1,2,4] [--rounds 1] [--json]

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { kafka } from '../../scripts/services/kafka.ts';
import { redis } from '../../scripts/services/redis.ts';
import { readFetcherConfig } from '../../src/fetcher/fetcher-config.ts';
import { openBackend, placeOf } from '../../src/fetcher/fetcher-place.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { startCourt } from '../throughput/court-process.ts';

const BIN = fileURLToPath(new URL('../../bin/curlew.js', import.meta.url));

const { values } = parseArgs({
  options: {
    urls: { type: 'string', default: '5000' },
    latency: { type: 'string', default: '0' },
    workers: { type: 'string', default: '1,2,4' },
    rounds: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const urlCount = Number(values.urls);

interface Figure {
  readonly name: string;
  readonly urlsPerSecond: number;
}

const SETTINGS = {
  PAGE_FETCHER_RATE_LIMIT_PER_SECOND: 'off',
  PAGE_FETCHER_ALLOW_HOSTS: '127.0.0.1',
  PAGE_FETCHER_METRICS_PORT: '0',
  PAGE_FETCHER_POLL_TIMEOUT_SECONDS: '0.1',
  PAGE_FETCHER_CONCURRENCY: '32',
  PAGE_FETCHER_HOST_CONCURRENCY: '32',
};

/** URLs fetched before it is measured: robots.txt is known, Kafka connected, the code compiled. */
const WARM_UP = 1_000;

async function measure(name: string, workers: number, env: Readonly<Record<string, string>>): Promise<Figure> {
  const settings = { ...SETTINGS, ...env };
  const court = await startCourt(urlCount, Number(values.latency));
  const place = placeOf(settings, { data: env.CURLEW_DATA ?? '' });
  const backend = await openBackend(place, readFetcherConfig(settings), systemClock);
  const children = await Promise.all(Array.from({ length: workers }, () => startWorker(settings)));
  try {
    const workOff = async (count: number) => {
      await backend.queue.enqueue(Array.from({ length: count }, (_, n) => `${court.url}/graph/${n}`));
      for (;;) {
        const { waiting, leased } = await backend.queue.size();
        if (waiting + leased + (await backend.outbox.size()) === 0) return;
        await sleep(50);
      }
    };
    await workOff(Math.min(WARM_UP, urlCount));
    const began = performance.now();
    await workOff(urlCount);
    const seconds = (performance.now() - began) / 1_000;
    if ((await backend.deadLetters.size()) > 0) throw new Error('Some URLs were given up.');
    return { name, urlsPerSecond: Math.round(urlCount / seconds) };
  } finally {
    await Promise.all(children.map(stop));
    await backend.close();
    await court.close();
  }
}

async function startWorker(env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [BIN, 'fetcher'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  for await (const line of createInterface({ input: child.stderr })) {
    if (JSON.parse(line).event === 'started') break;
  }
  child.stderr.resume();
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.kill('SIGTERM');
  await ended;
}

async function round(redisUrl: string, bootstrapServers: string): Promise<Figure[]> {
  const data = await mkdtemp(join(tmpdir(), 'curlew-bench-'));
  const figures = [await measure('alone, embedded', 1, { CURLEW_DATA: data })];
  await rm(data, { recursive: true });
  for (const workers of values.workers.split(',').map(Number)) {
    const own = randomUUID();
    const fleet = {
      PAGE_FETCHER_REDIS_URL: redisUrl,
      PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS: bootstrapServers,
      PAGE_FETCHER_INPUT_QUEUE: `queue-${own}`,
      PAGE_FETCHER_DLQ_QUEUE: `dead-${own}`,
      PAGE_FETCHER_WEBPAGE_LOG_TOPIC: `log-${own}`,
    };
    figures.push(await measure(`fleet of ${workers}`, workers, fleet));
  }
  return figures;
}

const [ownRedis, ownKafka] = [await redis.start(), await kafka.start()];
try {
  const rounds: Figure[] = [];
  for (let n = 0; n < Number(values.rounds); n++) rounds.push(...(await round(ownRedis.address, ownKafka.address)));
  const medians = [...Map.groupBy(rounds, ({ name }) => name)].map(([name, of]) => {
    const sorted = of.map(({ urlsPerSecond }) => urlsPerSecond).toSorted((a, b) => a - b);
    return { name, urlsPerSecond: sorted[Math.floor(sorted.length / 2)] ?? 0 };
  });
  if (values.json) process.stdout.write(`${JSON.stringify({ urls: urlCount, medians })}\n`);
  else
    for (const { name, urlsPerSecond } of medians) process.stdout.write(`${name.padEnd(16)} ${urlsPerSecond} URLs/s\n`);
} finally {
  await ownRedis.close();
  await ownKafka.close();
}

// A Redis of little memory. Pages that wait for Kafka take their share of it and no more; when it is full all the same, what is
// fetched is published, by itself and once, as soon as Kafka is back.

import { describe, expect, it, onTestFinished } from 'vitest';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { ownKafkaOrSkip, ownRedisOrSkip } from '../fixtures/services.ts';
import { startBigPages } from './big-pages.ts';
import { type Fleet, ownFleet, startWorker, type WorkerProcess } from './fleet.ts';

const redis = await ownRedisOrSkip();
const kafka = await ownKafkaOrSkip();

/** A loaded machine may take long; only what never comes fails. */
const SOON_MS = 600_000;
const soon = { interval: 200 };
const MB = 1024 * 1024;

interface SmallFleet extends Fleet {
  readonly connection: RedisConnection;
  configure(settings: Readonly<Record<string, string>>): Promise<void>;
  /** Pushes until Redis refuses. Gives how many it took. */
  pushUntilRefused(urlAt: (n: number) => string): Promise<number>;
}

async function smallFleet(settings: Readonly<Record<string, string>>): Promise<SmallFleet> {
  const connection = await RedisConnection.open(redis?.address ?? '', { clock });
  const configure = async (values: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(values)) await connection.run((client) => client.configSet(name, value));
  };
  onTestFinished(async () => {
    await configure({ maxmemory: '0', 'maxmemory-policy': 'noeviction' });
    await connection.run((client) => client.flushAll());
    await connection.close();
    await kafka?.start();
  });
  await connection.run((client) => client.flushAll());
  const fleet = await ownFleet(redis?.address ?? '', kafka?.address ?? '', {
    PAGE_FETCHER_ROBOTS: 'off',
    PAGE_FETCHER_LEASE_SECONDS: '10',
    PAGE_FETCHER_CONCURRENCY: '16',
  });
  await configure(settings);
  return {
    ...fleet,
    connection,
    configure,
    async pushUntilRefused(urlAt) {
      for (let n = 0; ; n++) {
        try {
          await connection.run((client) => client.rPush(fleet.queueName, urlAt(n)));
        } catch (error) {
          expect(String(error)).toContain('OOM');
          return n;
        }
      }
    },
  };
}

const gauge = async (worker: WorkerProcess, name: string) =>
  Number(new RegExp(`^page_fetcher_${name} (.*)$`, 'm').exec((await worker.ask('/metrics')).text)?.[1]);

const readiness = async (worker: WorkerProcess) => {
  const { status, text } = await worker.ask('/readyz');
  return { status, ...JSON.parse(text) };
};

async function expectEachOnce(fleet: Fleet, urls: readonly string[]): Promise<void> {
  const events = await fleet.events();
  expect(events.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(urls.length);
  expect(await fleet.deadLetters.size()).toBe(0);
}

describe('a Redis of 60 MB, and Kafka is away', () => {
  it('pauses before it is full, also after kills, and publishes everything once when Kafka is back', async () => {
    const pages = await startBigPages(100_000);
    const fleet = await smallFleet({ maxmemory: '60mb', 'maxmemory-policy': 'volatile-ttl' });
    const workers = [startWorker(fleet.env), startWorker(fleet.env)];
    await Promise.all(workers.map((worker) => worker.says('started')));
    await kafka?.kill();
    const urls = Array.from({ length: 900 }, (_, n) => `${pages.url}/page/${n}`);
    await fleet.queue.enqueue(urls);
    const [paused] = await Promise.all(workers.map((worker) => worker.says('paused')));
    expect(paused).toMatchObject({ reason: expect.stringMatching(/MB of pages wait to be published.*Redis uses/) });
    const [worker] = workers;
    if (worker === undefined) return expect.fail('no worker');
    expect(await gauge(worker, 'paused')).toBe(1);
    await expect
      .poll(() => readiness(worker), soon)
      .toMatchObject({
        status: 503,
        ready: false,
        redis: true,
        kafka: false,
        reasons: { kafka: expect.stringContaining('Kafka at'), paused: expect.stringContaining('MB of pages wait') },
      });
    // Others can still push.
    expect(
      await fleet.connection.run((client) => client.rPush(fleet.queueName, `${pages.url}/page/pushed`)),
    ).toBeGreaterThan(0);
    expect((await fleet.outbox.level()).bytes).toBeLessThanOrEqual(30 * MB);

    for (const killed of workers) killed.signal('SIGKILL');
    await Promise.all(workers.map(({ ended }) => ended));
    const restarted = [startWorker(fleet.env), startWorker(fleet.env)];
    await Promise.all(restarted.map((again) => again.says('paused')));
    await kafka?.start();
    await fleet.finished(SOON_MS);
    await Promise.all(restarted.map((again) => again.says('resumed')));
    await expectEachOnce(fleet, [...urls, `${pages.url}/page/pushed`]);
    const [again] = restarted;
    if (again === undefined) return expect.fail('no worker');
    await expect
      .poll(() => readiness(again), soon)
      .toEqual({ status: 200, ready: true, redis: true, kafka: true, reasons: {} });
    expect(await gauge(again, 'paused')).toBe(0);
  });

  it('leaves room for others when most of the memory is not its own', async () => {
    const pages = await startBigPages(100_000);
    const fleet = await smallFleet({ maxmemory: '60mb', 'maxmemory-policy': 'volatile-ttl' });
    for (let n = 0; n < 40; n++) {
      await fleet.connection.run((client) => client.set(`foreign:${n}`, 'x'.repeat(MB - 1_000)));
    }
    await kafka?.kill();
    const worker = startWorker(fleet.env);
    const urls = Array.from({ length: 300 }, (_, n) => `${pages.url}/page/${n}`);
    await fleet.queue.enqueue(urls);
    await worker.says('paused');
    expect((await fleet.outbox.level()).bytes).toBeLessThan(20 * MB);
    await fleet.queue.enqueue([`${pages.url}/page/more`]);
    await kafka?.start();
    await fleet.finished(SOON_MS);
    await expectEachOnce(fleet, [...urls, `${pages.url}/page/more`]);
  });

  it('goes on by itself after others have pushed until they were refused', async () => {
    const pages = await startBigPages(20_000);
    const fleet = await smallFleet({ maxmemory: '14mb', 'maxmemory-policy': 'volatile-ttl' });
    const worker = startWorker(fleet.env);
    await worker.says('started');
    await kafka?.kill();
    const early = Array.from({ length: 400 }, (_, n) => `${pages.url}/page/${n}`);
    await fleet.queue.enqueue(early);
    await worker.says('paused');
    const long = (n: number) => `${pages.url}/long/${n}?${'x'.repeat(7_900)}`;
    const pushed = await fleet.pushUntilRefused(long);
    // So that not even the smallest write finds room.
    await fleet.configure({ maxmemory: '13mb' });
    await expect
      .poll(() => readiness(worker), soon)
      .toMatchObject({
        status: 503,
        redis: false,
        reasons: { redis: expect.stringContaining('OOM') },
      });
    // One that is started while it is full publishes first.
    worker.signal('SIGKILL');
    await worker.ended;
    startWorker(fleet.env);
    await kafka?.start();
    await fleet.finished(SOON_MS);
    await expectEachOnce(fleet, [...early, ...Array.from({ length: pushed }, (_, n) => long(n))]);
  });
});

describe('a Redis that is full of its queue', () => {
  it('is emptied by fetching, although nobody can push any more', async () => {
    const pages = await startBigPages(20_000);
    const fleet = await smallFleet({ maxmemory: '12mb', 'maxmemory-policy': 'volatile-ttl' });
    const long = (n: number) => `${pages.url}/long/${n}?${'x'.repeat(7_900)}`;
    const pushed = await fleet.pushUntilRefused(long);
    expect(pushed).toBeGreaterThan(300);
    startWorker(fleet.env);
    startWorker(fleet.env);
    await fleet.finished(SOON_MS);
    await expectEachOnce(
      fleet,
      Array.from({ length: pushed }, (_, n) => long(n)),
    );
  });
});

describe('the policy of a Redis with a limit', () => {
  it('allkeys-lru could evict the queue: nothing is fetched, the reason is told, and a change is noticed', async () => {
    const pages = await startBigPages(1_000);
    const fleet = await smallFleet({ maxmemory: '60mb', 'maxmemory-policy': 'allkeys-lru' });
    await fleet.queue.enqueue([`${pages.url}/page/1`]);
    const worker = startWorker(fleet.env);
    expect(await worker.says('paused')).toMatchObject({ reason: expect.stringMatching(/allkeys-lru.*volatile-ttl/) });
    expect(await readiness(worker)).toMatchObject({
      status: 503,
      reasons: { paused: expect.stringContaining('allkeys-lru') },
    });
    expect(pages.asked).toEqual([]);
    await fleet.configure({ 'maxmemory-policy': 'volatile-ttl' });
    await fleet.finished(SOON_MS);
    await expectEachOnce(fleet, [`${pages.url}/page/1`]);
  });

  it('noeviction keeps what is published: fetching pauses before it is full, and goes on when there is memory', async () => {
    const pages = await startBigPages(100_000);
    const fleet = await smallFleet({ maxmemory: '20mb', 'maxmemory-policy': 'noeviction' });
    const urls = Array.from({ length: 300 }, (_, n) => `${pages.url}/page/${n}`);
    await fleet.queue.enqueue(urls);
    const worker = startWorker(fleet.env);
    expect(await worker.says('paused')).toMatchObject({ reason: expect.stringContaining('Redis uses') });
    await expect.poll(() => fleet.outbox.size(), soon).toBe(0);
    await expect
      .poll(() => readiness(worker), soon)
      .toMatchObject({ status: 503, redis: true, reasons: { paused: expect.stringContaining('noeviction') } });
    await fleet.configure({ maxmemory: '100mb' });
    await fleet.finished(SOON_MS);
    await expectEachOnce(fleet, urls);
  });
});

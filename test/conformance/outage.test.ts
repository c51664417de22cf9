// What happens when a part is killed in the middle: nothing is lost, nothing is there twice, order per URL stays.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import type { FetcherBackend } from '../../src/fetcher/fetcher-backend.ts';
import { KafkaEventLog } from '../../src/fetcher/kafka/kafka-event-log.ts';
import { OutboxPump } from '../../src/fetcher/outbox-pump.ts';
import { redisBackend } from '../../src/fetcher/redis/redis-backend.ts';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import type { WebpageEvent } from '../../src/fetcher/webpage-event.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { ownKafkaOrSkip, ownRedisOrSkip } from '../fixtures/services.ts';
import { readTopic } from '../fixtures/topic.ts';
import { somePage, storePage } from './backends.ts';

const redis = await ownRedisOrSkip();
const kafka = await ownKafkaOrSkip();
const PUMP = fileURLToPath(new URL('./pump-process.ts', import.meta.url));

const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

interface Setting extends FetcherBackend {
  readonly topic: string;
}

async function setting(): Promise<Setting> {
  const connection = await RedisConnection.open(redis?.address ?? '', { clock });
  onTestFinished(() => connection.close());
  const own = randomUUID();
  const names = { queue: `queue-${own}`, deadLetters: `dead-${own}`, topic: `log-${own}` };
  return { ...redisBackend(connection, { ...names, clock }), topic: names.topic };
}

/** Stores pages of ten URLs in turn, and gives their events in order. */
async function storePages(backend: FetcherBackend, count: number): Promise<WebpageEvent[]> {
  const pages = Array.from({ length: count }, (_, n) => somePage(`https://court.example/${n % 10}`));
  for (const page of pages) await storePage(backend, page);
  return pages.map(({ event }) => event);
}

async function expectOnceInOrder(topic: string, expected: readonly WebpageEvent[]): Promise<void> {
  const arrived: WebpageEvent[] = (await readTopic(kafka?.address ?? '', topic)).map(({ value }) => JSON.parse(value));
  const idsByUrl = (events: readonly WebpageEvent[]) =>
    Object.fromEntries(
      Map.groupBy(events, ({ url }) => url)
        .entries()
        .map(([url, of]) => [url, of.map(({ event_id }) => event_id)]),
    );
  expect(arrived).toHaveLength(expected.length);
  expect(idsByUrl(arrived)).toEqual(idsByUrl(expected));
}

it('Kafka is killed while events leave: fetching goes on, and all arrive once, in order, when it is back', async () => {
  const backend = await setting();
  const log = new KafkaEventLog({ bootstrapServers: kafka?.address ?? '', topic: backend.topic, clock });
  onTestFinished(() => log.close());
  const stop = new AbortController();
  const troubles: unknown[] = [];
  const settled = Promise.withResolvers<void>();
  const pump = new OutboxPump({
    outbox: backend.outbox,
    log,
    clock,
    name: 'pump',
    leaseMs: 2_000,
    cacheTtlMs: 60_000,
    onSettled: () => settled.resolve(),
    onTrouble: (_part, error) => troubles.push(error),
  });
  const running = pump.run(stop.signal, new AbortController().signal);
  const before = await storePages(backend, 200);
  await settled.promise;
  const during = storePages(backend, 1_500);
  await kafka?.kill();
  const events = [...before, ...(await during)];
  expect(await backend.outbox.size()).toBeGreaterThan(0);
  await expect.poll(() => troubles.length).toBeGreaterThan(0);
  await kafka?.start();
  await expect.poll(() => backend.outbox.size()).toBe(0);
  stop.abort();
  await running;
  await expectOnceInOrder(backend.topic, events);
});

it('pumps are killed again and again while they publish and right after: every event is in the topic once', async () => {
  const backend = await setting();
  const events = await storePages(backend, 2_500);
  for (let kills = 0; (await backend.outbox.size()) > 0; kills++) {
    const when = kills % 2 === 0 ? 'after' : 'during';
    const args = [redis?.address ?? '', kafka?.address ?? '', backend.topic, `pump-${kills}`, when];
    const child = spawn(process.execPath, [PUMP, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
    children.add(child);
    // The last one finds the outbox empty and would wait for more.
    const emptied = expect
      .poll(() => backend.outbox.size())
      .toBe(0)
      .catch(() => {});
    await Promise.race([once(child, 'exit'), emptied]);
    expect(kills).toBeLessThan(30);
  }
  await expectOnceInOrder(backend.topic, events);
});

it('a pump dies between publishing and settling: the next one asks the log, and publishes only what is missing', async () => {
  const backend = await setting();
  const events = await storePages(backend, 10);
  const bootstrapServers = kafka?.address ?? '';
  const log = new KafkaEventLog({ bootstrapServers, topic: backend.topic, clock });
  onTestFinished(() => log.close());
  const never = new AbortController().signal;
  const taken = await backend.outbox.take({ pump: 'dead', leaseMs: 60_000, limit: 10 });
  if (taken.kind !== 'entries') return expect.fail('another pump has the outbox');
  await backend.outbox.beginPublishing({ pump: 'dead', leaseMs: 1, position: await log.position() });
  await log.publish(events.slice(0, 6), never);

  const settled: number[] = [];
  const onSettled = ({ published }: { published: number }) => settled.push(published);
  const pump = new OutboxPump({ outbox: backend.outbox, log, clock, name: 'next', cacheTtlMs: 60_000, onSettled });
  await expect.poll(() => pump.turn(never)).toBe('settled');
  expect(await pump.turn(never)).toBe('settled');
  expect(await pump.turn(never)).toBe('idle');
  expect(settled).toEqual([6, 4]);
  await expectOnceInOrder(backend.topic, events);
});

it('Redis is killed and restarted in the middle: every URL has one event, and no lease is left', async () => {
  const backend = await setting();
  const { queue, outbox } = backend;
  const urls = Array.from({ length: 600 }, (_, n) => `https://court.example/${n}`);
  await queue.enqueue(urls);
  const half = Promise.withResolvers<void>();
  let stored = 0;
  const worker = async (name: string) => {
    for (;;) {
      const lease = await queue.lease({ worker: name, leaseMs: 1_000 });
      if (lease !== undefined) {
        await queue.store(lease, somePage(lease.url));
        if (++stored === 300) half.resolve();
      } else if ((await queue.size()).leased === 0) return;
    }
  };
  const working = Promise.all(['w1', 'w2', 'w3', 'w4'].map(worker));
  await half.promise;
  await redis?.kill();
  await redis?.start();
  await working;
  expect(await queue.size()).toEqual({ waiting: 0, leased: 0 });
  const taken = await outbox.take({ pump: 'p', leaseMs: 60_000, limit: 1_000 });
  if (taken.kind !== 'entries') return expect.fail('another pump has the outbox');
  expect(taken.entries.map(({ event }) => event.url).toSorted()).toEqual(urls.toSorted());
});

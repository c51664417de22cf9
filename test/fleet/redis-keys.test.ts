// What a worker leaves in Redis: under volatile-ttl a full Redis evicts keys with a time to live, so only what can be had again
// may have one.

import { expect, it, onTestFinished } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { closing } from '../fixtures/closing.ts';
import { kafkaOrSkip, ownRedisOrSkip } from '../fixtures/services.ts';
import { ownFleet, startWorker } from './fleet.ts';

const redis = await ownRedisOrSkip();
const kafka = await kafkaOrSkip();

it('only published pages and copies of robots.txt have a time to live', async () => {
  const [up, down] = [closing(await startCourt({ highest: 50 })), closing(await startCourt({ highest: 10 }))];
  const fleet = await ownFleet(redis?.address ?? '', kafka, { PAGE_FETCHER_RATE_LIMIT_PER_SECOND: '20' });
  const connection = await RedisConnection.open(redis?.address ?? '', { clock: systemClock });
  onTestFinished(() => connection.close());
  const withTtl = new Set<string>();
  const seen = new Set<string>();
  const look = async () => {
    for (const key of await connection.run((client) => client.keys('*'))) {
      seen.add(key);
      if ((await connection.run((client) => client.pTTL(key))) >= 0) withTtl.add(key);
    }
  };
  down.faults.set({ kind: 'status', status: 503, path: '/case' });
  const casesOf = (url: string, count: number) => Array.from({ length: count }, (_, n) => `${url}/case/${n + 1}`);
  await fleet.queue.enqueue([...casesOf(down.url, 10), ...casesOf(up.url, 50), 'no address']);
  const worker = startWorker(fleet.env);
  const published = async () => {
    await look();
    return (await fleet.events()).length;
  };
  await expect.poll(published).toBe(50);
  await worker.says('circuit_open');
  await look();
  const kinds = (keys: Iterable<string>) => [...new Set([...keys].map((key) => key.split(':')[0]))].toSorted();
  expect(kinds(withTtl)).toEqual(['robots', 'robots_last', 'webpage']);
  expect(kinds(seen)).toEqual(expect.arrayContaining(['circuit_breaker', 'page_fetcher', 'rate_limit']));
  expect([...seen]).toContain(`${fleet.env.PAGE_FETCHER_WEBPAGE_LOG_TOPIC}:outbox:pump`);
});

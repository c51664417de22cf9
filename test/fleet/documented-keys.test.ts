// docs/fleet.md lists every key that the fetcher keeps in Redis: those that the code names, and those that a run leaves there.

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { bucketKey } from '../../src/fetcher/redis/politeness/bucket-script.ts';
import { KEPT_KEYS } from '../../src/fetcher/redis/politeness/kept-key.ts';
import { robotsKeys } from '../../src/fetcher/redis/politeness/redis-robots-store.ts';
import { breakerKey } from '../../src/fetcher/redis/politeness/redis-value.ts';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { redisNames } from '../../src/fetcher/redis/redis-names.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { closing } from '../fixtures/closing.ts';
import { ownKafkaOrSkip, ownRedisOrSkip } from '../fixtures/services.ts';
import { ownFleet, startWorker } from './fleet.ts';

const redis = await ownRedisOrSkip();
const kafka = await ownKafkaOrSkip();

const [, section = ''] = readFileSync(new URL('../../docs/fleet.md', import.meta.url), 'utf8').split(
  '## Every key in Redis',
);
const documented = (section.split(/^## /m)[0]?.match(/^\| `.*\|$/gm) ?? []).map((row) => {
  const [, key = '', type = '', , ttl = ''] = row.split('|').map((cell) => cell.trim());
  return { key: key.replaceAll('`', ''), type, isKept: ttl === 'none' };
});

it('every key that the code names is listed, and no other', () => {
  const { lanePrefix, processingPrefix, ...names } = redisNames();
  const ofHost = [bucketKey('<host>'), breakerKey('<host>'), ...robotsKeys('https://<host>')];
  const others = [`${lanePrefix}<host>`, `${processingPrefix}<worker>`, 'webpage:<sha256 of the URL>', KEPT_KEYS];
  const named = [...Object.values(names), ...ofHost, ...others, `${names.queue}:check`];
  expect(documented.map(({ key }) => key).toSorted()).toEqual(named.toSorted());
});

it('a run leaves no key that is not listed, each of the type and with the time to live that is said', async () => {
  const [up, down] = [closing(await startCourt({ highest: 30 })), closing(await startCourt({ highest: 30 }))];
  const fleet = await ownFleet(redis?.address ?? '', kafka?.address ?? '', {
    PAGE_FETCHER_INPUT_QUEUE: 'crawler_queue',
    PAGE_FETCHER_DLQ_QUEUE: 'page_fetcher_dlq',
    PAGE_FETCHER_WEBPAGE_LOG_TOPIC: 'webpage_log',
  });
  const connection = closing(await RedisConnection.open(redis?.address ?? '', { clock }));
  const seen = new Set<string>();
  const wrong = new Set<string>();
  const look = async () => {
    for (const key of await connection.run((client) => client.keys('*'))) {
      const type = await connection.run((client) => client.type(key));
      const ttl = await connection.run((client) => client.pTTL(key));
      if (type === 'none' || ttl === -2) continue;
      const entry = documented.find((candidate) => pattern(candidate.key).test(key));
      if (entry !== undefined) seen.add(entry.key);
      const right = entry !== undefined && [type, 'any'].includes(entry.type) && !(entry.isKept && ttl > 0);
      if (!right) wrong.add(`${key} ${type} ${ttl}`);
    }
  };
  const missing = async (keys: readonly string[]) => {
    await look();
    return keys.filter((key) => !seen.has(key));
  };
  down.faults.set({ kind: 'status', status: 503, path: '/' });
  up.faults.set({ kind: 'status', status: 404, path: '/case/7' });
  const held = up.faults.set({ kind: 'hold', path: '/case/9', count: 1 });
  const urls = Array.from({ length: 20 }, (_, n) => [`${up.url}/case/${n + 1}`, `${down.url}/case/${n + 1}`]).flat();
  await fleet.queue.enqueue(urls);
  const worker = startWorker(fleet.env);
  await worker.says('circuit_open');
  const whileWorking = ['crawler_queue', 'crawler_queue:lanes', 'crawler_queue:lane:<host>', 'crawler_queue:deadlines'];
  await expect.poll(() => missing(whileWorking)).toEqual([]);
  await kafka?.kill();
  await up.faults.clear(held);
  await fleet.queue.enqueue([`${up.url}/case/21`, `${up.url}/case/22`]);
  const without = ['crawler_queue:check', 'crawler_queue:incoming', 'webpage_log:outbox:unsure', 'robots_lock:<host>'];
  const expected = documented.map(({ key }) => key).filter((key) => !without.includes(key));
  await expect.poll(() => missing(expected)).toEqual([]);
  expect([...wrong]).toEqual([]);
});

/** What stands in angle brackets may be anything. */
function pattern(key: string): RegExp {
  return new RegExp(`^${key.replace(/[.*+?^$()|[\]{}\\]/g, '\\$&').replace(/<[^>]+>/g, '.+')}$`);
}

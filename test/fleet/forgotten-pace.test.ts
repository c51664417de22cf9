// Somebody deletes what Redis knows about the pace of hosts, again and again: no burst follows. Measured at the server, over the whole.

import { expect, it } from 'vitest';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { closing } from '../fixtures/closing.ts';
import { kafkaOrSkip, ownRedisOrSkip } from '../fixtures/services.ts';
import { courtProcess } from '../politeness/court-process.ts';
import { ownFleet, startWorker } from './fleet.ts';

const redis = await ownRedisOrSkip();
const kafka = await kafkaOrSkip();

it('the keys of the limiter are deleted five times: two workers keep to 10 a second', async () => {
  const court = await courtProcess('--highest', '60');
  const fleet = await ownFleet(redis?.address ?? '', kafka, { PAGE_FETCHER_RATE_LIMIT_PER_SECOND: '10' });
  const connection = closing(await RedisConnection.open(redis?.address ?? '', { clock }));
  await fleet.queue.enqueue(Array.from({ length: 60 }, (_, n) => `${court.url}/case/${n + 1}`));
  for (const _ of [1, 2]) startWorker(fleet.env);
  for (const asked of [10, 20, 30, 40, 50]) {
    await expect.poll(async () => (await court.log()).length).toBeGreaterThan(asked);
    const deleted = await connection.run(async (client) => client.del(await client.keys('rate_limit:*')));
    expect(deleted).toBeGreaterThan(0);
  }
  await fleet.finished();
  const times = (await court.log()).map(({ arrivedAt }) => arrivedAt);
  expect(times).toHaveLength(61);
  // A burst after each deletion would make it seconds shorter. The first request may have been held up on its way.
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(60 * 100 - 500);
});

// The promise of the fleet, with everything real: worker processes are killed all the time, and nothing is lost, nothing is
// published twice, and little is fetched again.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';
import { closing } from '../fixtures/closing.ts';
import { ownKafkaOrSkip, ownRedisOrSkip } from '../fixtures/services.ts';
import { courtProcess } from '../politeness/court-process.ts';
import { expectRightBodies, ownFleet, startWorker } from './fleet.ts';
import { parsePrometheusText, total } from './prometheus-text.ts';

const redis = await ownRedisOrSkip();
const kafka = await ownKafkaOrSkip();

const URLS = 2_000;
const CONCURRENCY = 8;
const KILL_EVERY_MS = 2_000;
const LEAST_KILLS = 3;

it('2,000 URLs of 3 hosts, 4 workers, one killed every 2 s: 2,000 events, each page once', async () => {
  const courts = await Promise.all(
    [1, 2, 3].map((seed) => courtProcess('--seed', `${seed}`, '--highest', `${URLS}`, '--latency', '20-60')),
  );
  const urls = Array.from({ length: URLS }, (_, n) => `${courts[n % courts.length]?.url}/case/${n + 1}`);
  const fleet = await ownFleet(redis?.address ?? '', kafka?.address ?? '', {
    PAGE_FETCHER_CONCURRENCY: `${CONCURRENCY}`,
    PAGE_FETCHER_LEASE_SECONDS: '5',
  });
  const workers = [1, 2, 3, 4].map(() => startWorker(fleet.env));
  await Promise.all(workers.map((worker) => worker.says('started')));
  // More pages than can be in hand at once: however fast the fleet is, it is not done before.
  for (const court of courts) await court.fault({ kind: 'hold', path: '/case/19' });
  await fleet.queue.enqueue(urls);

  const isDone = async () => (await fleet.queue.size()).waiting === 0;
  let kills = 0;
  while (!(await isDone())) {
    await sleep(KILL_EVERY_MS);
    workers[kills % 4]?.signal('SIGKILL');
    await workers[kills % 4]?.ended;
    workers[kills % 4] = startWorker(fleet.env);
    if (++kills === LEAST_KILLS) for (const court of courts) await court.clear();
  }
  await fleet.finished();
  expect(kills).toBeGreaterThanOrEqual(LEAST_KILLS);

  const logs = (await Promise.all(courts.map((court) => court.log()))).flat();
  const pages = logs.filter(({ path }) => path !== '/robots.txt');
  expect(pages.length - URLS).toBeLessThanOrEqual(kills * CONCURRENCY);
  const events = await fleet.events();
  expect(events.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
  expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(URLS);
  await expectRightBodies(fleet, events);
  expect(await fleet.deadLetters.size()).toBe(0);
  for (const worker of workers) {
    const families = parsePrometheusText((await worker.ask('/metrics')).text);
    const left = ['input_queue_size', 'dlq_size', 'leased', 'outbox_size', 'late_results_total'];
    expect(left.map((name) => total(families, `page_fetcher_${name}`))).toEqual([0, 0, 0, 0, 0]);
  }
  const connection = closing(await RedisConnection.open(redis?.address ?? '', { clock }));
  const left = await connection.run((client) => client.keys(`${fleet.queueName}*`));
  expect(left.toSorted()).toEqual([`${fleet.queueName}:labelled_hosts`, `${fleet.queueName}:tokens`]);
  // Only what hangs is to be ended: under load the workers take most of their short lives to start.
});

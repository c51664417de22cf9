// What Prometheus sees of a worker: counters from 0 on, and no size that nobody knows.

import { expect, it } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { ownRedisOrSkip } from '../fixtures/services.ts';
import { ownFleet, startWorker, type WorkerProcess } from './fleet.ts';

const redis = await ownRedisOrSkip();
/** A loaded machine may take long; only what never comes fails. */
/** Nothing here needs events to arrive. */
const NO_KAFKA = '127.0.0.1:9';

async function samplesOf(worker: WorkerProcess, name: string): Promise<string[]> {
  const { text } = await worker.ask('/metrics');
  return text.split('\n').filter((line) => new RegExp(`^page_fetcher_${name}[ {]`).test(line));
}

it('a host has its counters at 0 before its breaker opens for the first time, and in the next worker at once', async () => {
  const court = closing(await startCourt({ highest: 20 }));
  const { host } = new URL(court.url);
  const fleet = await ownFleet(redis?.address ?? '', NO_KAFKA, { PAGE_FETCHER_ROBOTS: 'off' });
  const worker = startWorker(fleet.env);
  await worker.says('started');
  const opened = (at: WorkerProcess) => samplesOf(at, 'circuit_breaker_opened_total');
  expect(await opened(worker)).toEqual(['page_fetcher_circuit_breaker_opened_total{host="other"} 0']);
  await fleet.queue.enqueue([`${court.url}/case/1`]);
  const fetched = `page_fetcher_pages_fetched_total{host="${host}"} 1`;
  await expect.poll(() => samplesOf(worker, 'pages_fetched_total')).toContain(fetched);
  expect(await opened(worker)).toContain(`page_fetcher_circuit_breaker_opened_total{host="${host}"} 0`);

  court.faults.set({ kind: 'status', status: 503, path: '/' });
  await fleet.queue.enqueue(Array.from({ length: 10 }, (_, n) => `${court.url}/case/${n + 2}`));
  await worker.says('circuit_open');
  expect(await opened(worker)).toContain(`page_fetcher_circuit_breaker_opened_total{host="${host}"} 1`);

  const next = startWorker(fleet.env);
  await expect.poll(() => opened(next)).toContain(`page_fetcher_circuit_breaker_opened_total{host="${host}"} 0`);
});

it('sizes that are kept in Redis have no sample while Redis is away', async () => {
  const fleet = await ownFleet(redis?.address ?? '', NO_KAFKA, { PAGE_FETCHER_ALLOW_HOSTS: '' });
  const sizes = (worker: WorkerProcess) => samplesOf(worker, '(input_queue_size|dlq_size|outbox_size|leased)');
  const worker = startWorker(fleet.env);
  await expect.poll(() => sizes(worker)).toHaveLength(4);
  const isUp = async (at: WorkerProcess) =>
    (await samplesOf(at, 'dependency_up')).filter((line) => line.endsWith(' 1'));
  const REDIS_UP = ['page_fetcher_dependency_up{dependency="redis"} 1'];
  // There is no Kafka.
  expect(await samplesOf(worker, 'dependency_up')).toHaveLength(2);
  await expect.poll(() => isUp(worker)).toEqual(REDIS_UP);
  await redis?.kill();
  expect(await worker.says('redis_away')).toMatchObject({ level: 'error', worker: expect.any(String) });
  expect(await sizes(worker)).toEqual([]);
  const late = startWorker(fleet.env);
  await late.says('redis_away');
  expect(await sizes(late)).toEqual([]);
  for (const at of [worker, late])
    expect([await isUp(at), (await samplesOf(at, 'dependency_up')).length]).toEqual([[], 2]);
  await redis?.start();
  await expect.poll(() => sizes(worker)).toHaveLength(4);
  await expect.poll(() => sizes(late)).toHaveLength(4);
  for (const at of [worker, late]) await expect.poll(() => isUp(at)).toEqual(REDIS_UP);
});

// What a fleet does while a part of it, or of the world, is away: it says so, goes on with what it can, and loses nothing.

import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { ownKafkaOrSkip, ownRedisOrSkip } from '../fixtures/services.ts';
import { expectRightBodies, type Fleet, ownFleet, startWorker, type WorkerProcess } from './fleet.ts';

const redis = await ownRedisOrSkip();
const kafka = await ownKafkaOrSkip();

/** A loaded machine may take long; only what never comes fails. */

const fleetWith = (settings: Record<string, string>) =>
  ownFleet(redis?.address ?? '', kafka?.address ?? '', { PAGE_FETCHER_LEASE_SECONDS: '5', ...settings });

const casesOf = ({ url }: RunningCourt, count: number, first = 1) =>
  Array.from({ length: count }, (_, n) => `${url}/case/${n + first}`);

const pathsAt = ({ log }: RunningCourt) => log.entries.map(({ path }) => path).filter((path) => path !== '/robots.txt');

async function startWorkers(fleet: Fleet, count: number): Promise<WorkerProcess[]> {
  const workers = Array.from({ length: count }, () => startWorker(fleet.env));
  await Promise.all(workers.map((worker) => worker.says('started')));
  return workers;
}

describe('a worker', () => {
  it('that was frozen past its lease wakes: its late result is rejected', async () => {
    const court = closing(await startCourt({ highest: 10 }));
    const fleet = await fleetWith({ PAGE_FETCHER_LEASE_SECONDS: '1', PAGE_FETCHER_ROBOTS: 'off' });
    const [frozen] = await startWorkers(fleet, 1);
    const held = court.faults.set({ kind: 'hold', path: '/case/', count: 1 });
    await fleet.queue.enqueue(casesOf(court, 1));
    await expect.poll(() => court.log.entries.length).toBe(1);
    frozen?.signal('SIGSTOP');
    await startWorkers(fleet, 1);
    await fleet.finished();
    expect(pathsAt(court)).toEqual(['/case/1', '/case/1']);
    await court.faults.clear(held);
    frozen?.signal('SIGCONT');
    await Promise.any([frozen?.says('late_result'), frozen?.says('lease_lost')]);
    const events = await fleet.events();
    expect(events).toHaveLength(1);
    expect(await fleet.queue.size()).toEqual({ waiting: 0, leased: 0 });
    await expectRightBodies(fleet, events);
  });

  it('that is told to stop finishes what is on the wire, gives back the rest, and exits with 0', async () => {
    const court = closing(await startCourt({ highest: 100, latencyMs: 800 }));
    const fleet = await fleetWith({ PAGE_FETCHER_CONCURRENCY: '4', PAGE_FETCHER_ROBOTS: 'off' });
    const [worker] = await startWorkers(fleet, 1);
    await fleet.queue.enqueue(casesOf(court, 100));
    await expect.poll(() => court.log.entries.length).toBeGreaterThanOrEqual(4);
    worker?.signal('SIGTERM');
    expect(await worker?.ended).toBe(0);
    const asked = pathsAt(court).length;
    expect(await fleet.queue.size()).toEqual({ waiting: 100 - asked, leased: 0 });
    expect(await fleet.outbox.size()).toBe(0);
    expect(await fleet.events()).toHaveLength(asked);
  });

  it('that is told twice ends at once, and another fetches what it held', async () => {
    const court = closing(await startCourt({ highest: 10 }));
    const fleet = await fleetWith({ PAGE_FETCHER_LEASE_SECONDS: '1', PAGE_FETCHER_ROBOTS: 'off' });
    court.faults.set({ kind: 'silent', path: '/case/1' });
    const [worker] = await startWorkers(fleet, 1);
    await fleet.queue.enqueue([`${court.url}/case/1`]);
    await expect.poll(() => court.log.entries.length).toBe(1);
    // As often as need be: those that come together are heard as one.
    const telling = setInterval(() => worker?.signal('SIGTERM'), 100);
    expect(await worker?.ended.finally(() => clearInterval(telling))).toBe(130);
    await court.faults.clear();
    await startWorkers(fleet, 1);
    await fleet.finished();
    expect(await fleet.events()).toHaveLength(1);
  });
});

describe('Redis', () => {
  it('is killed and started again in the middle: the workers say so and go on, and every URL has one event', async () => {
    const court = closing(await startCourt({ highest: 400, latencyMs: [20, 60] }));
    const fleet = await fleetWith({ PAGE_FETCHER_CONCURRENCY: '8' });
    const workers = await startWorkers(fleet, 2);
    const urls = casesOf(court, 400);
    await fleet.queue.enqueue(urls);
    await expect.poll(() => court.log.entries.length).toBeGreaterThan(100);
    await redis?.kill();
    await Promise.all(workers.map((worker) => worker.says('redis_away')));
    await redis?.start();
    await Promise.all(workers.map((worker) => worker.says('redis_back')));
    await fleet.finished();
    const events = await fleet.events();
    expect(events.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
    expect(await fleet.deadLetters.size()).toBe(0);
    await expectRightBodies(fleet, events);
  });

  it('is not there at the start: the worker says so, is alive and not ready, and begins when it comes', async () => {
    const fleet = await fleetWith({});
    await redis?.kill();
    const worker = startWorker(fleet.env);
    expect(await worker.says('redis_away')).toMatchObject({ reason: expect.stringContaining('ECONNREFUSED') });
    expect((await worker.ask('/healthz')).status).toBe(200);
    expect((await worker.ask('/readyz')).status).toBe(503);
    await redis?.start();
    await worker.says('started');
    await expect.poll(async () => (await worker.ask('/readyz')).status).toBe(200);
  });
});

describe('Kafka', () => {
  it('is away for half a minute: fetching goes on, and then all events arrive, in order per key, none twice', async () => {
    const court = closing(await startCourt({ highest: 50 }));
    const fleet = await fleetWith({});
    const workers = await startWorkers(fleet, 2);
    const urls = casesOf(court, 50);
    const fetchAll = async () => {
      await fleet.queue.enqueue(urls);
      await expect.poll(() => fleet.queue.size()).toEqual({ waiting: 0, leased: 0 });
    };
    await fetchAll();
    await kafka?.kill();
    const awayFrom = performance.now();
    for (let round = 0; round < 3; round++) await fetchAll();
    expect(await fleet.outbox.size()).toBeGreaterThanOrEqual(150);
    await Promise.any(workers.map((worker) => worker.says('kafka_away')));
    await sleep(Math.max(0, 30_000 - (performance.now() - awayFrom)));
    await kafka?.start();
    await fleet.finished();
    const events = await fleet.events();
    expect(events).toHaveLength(200);
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(200);
    for (const [, of] of Map.groupBy(events, ({ url }) => url)) {
      const times = of.map(({ fetched_at }) => fetched_at);
      expect(times).toHaveLength(4);
      expect(times).toEqual(times.toSorted());
    }
    await expectRightBodies(fleet, events);
    await Promise.any(workers.map((worker) => worker.says('kafka_back')));
  });

  it('never comes: the worker says so, fetches until the outbox is full, pauses, and stops in good order', async () => {
    const court = closing(await startCourt({ highest: 100 }));
    const nobody = '127.0.0.1:9';
    const settings = { PAGE_FETCHER_OUTBOX_LIMIT: '20', PAGE_FETCHER_CONCURRENCY: '4' };
    const fleet = await ownFleet(redis?.address ?? '', nobody, settings);
    await fleet.queue.enqueue(casesOf(court, 100));
    const worker = startWorker(fleet.env);
    expect(await worker.says('kafka_away')).toMatchObject({ reason: expect.stringContaining(`Kafka at ${nobody}`) });
    expect(await worker.says('paused')).toMatchObject({ reason: expect.stringContaining('20 events wait') });
    expect(await fleet.outbox.size()).toBe(20);
    const readiness = await worker.ask('/readyz');
    expect([readiness.status, JSON.parse(readiness.text)]).toEqual([
      503,
      {
        ready: false,
        redis: true,
        kafka: false,
        reasons: { kafka: expect.stringContaining(`Kafka at ${nobody}`), paused: expect.stringContaining('20 events') },
      },
    ]);
    expect((await worker.ask('/metrics')).text).toContain('page_fetcher_paused 1\n');
    const asked = pathsAt(court).length;
    expect(asked).toBeLessThanOrEqual(20 + 4);
    worker.signal('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect(await fleet.outbox.size()).toBe(20);
    expect(await fleet.queue.size()).toEqual({ waiting: 80, leased: 0 });
  });
});

describe('a host', () => {
  it('that is down does not slow another: its URLs wait, none is given up, and all are fetched when it is back', async () => {
    const [down, up] = [closing(await startCourt({ highest: 60 })), closing(await startCourt({ highest: 100 }))];
    const fleet = await fleetWith({
      PAGE_FETCHER_CONCURRENCY: '8',
      PAGE_FETCHER_ROBOTS: 'off',
      PAGE_FETCHER_CIRCUIT_BREAKER_INITIAL_BACKOFF_SECONDS: '0.5',
      PAGE_FETCHER_CIRCUIT_BREAKER_MAX_BACKOFF_SECONDS: '1',
    });
    const outage = down.faults.set({ kind: 'status', status: 503, path: '/' });
    const workers = await startWorkers(fleet, 2);
    await fleet.queue.enqueue([...casesOf(down, 60), ...casesOf(up, 100)]);
    await expect.poll(() => pathsAt(up).length).toBe(100);
    await Promise.any(workers.map((worker) => worker.says('circuit_open')));
    // Three probes have failed, and the URLs of the host are all there.
    await expect.poll(() => down.log.entries.filter(({ method }) => method === 'HEAD').length).toBeGreaterThan(2);
    await expect.poll(async () => sum(await fleet.queue.size())).toBe(60);
    expect(await fleet.deadLetters.size()).toBe(0);
    // Probes ask for the root.
    const tried = down.log.entries.filter(({ method, path }) => method === 'GET' && path !== '/').length;
    // Five, those under way, and what left before Redis had heard of the fifth.
    expect(tried).toBeLessThan(40);
    await down.faults.clear(outage);
    await fleet.finished();
    await Promise.any(workers.map((worker) => worker.says('circuit_closed')));
    const fetched = down.log.entries.filter(
      ({ method, path, status }) => method === 'GET' && path !== '/' && status === 200,
    );
    expect(fetched.map(({ path }) => path).toSorted()).toEqual(
      casesOf(down, 60)
        .map((url) => new URL(url).pathname)
        .toSorted(),
    );
    expect(await fleet.events()).toHaveLength(160);
    expect(await fleet.deadLetters.size()).toBe(0);
    const scrapes = await Promise.all(workers.map(async (worker) => (await worker.ask('/metrics')).text));
    const opened = scrapes.join('').match(/^page_fetcher_circuit_breaker_opened_total\{.*\} [1-9]\d*$/gm);
    // One worker decided it, and only that one counts it.
    expect(opened).toEqual([`page_fetcher_circuit_breaker_opened_total{host="${new URL(down.url).host}"} 1`]);
  });
});

const sum = ({ waiting, leased }: { waiting: number; leased: number }) => waiting + leased;

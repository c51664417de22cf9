// What the service makes of the answers of sites and of its own parts, in hours that pass in seconds.

import { expect, it } from 'vitest';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import type { Unsaved } from '../../src/fetch/fetch-memory.ts';
import type { Limiter, RateSettings } from '../../src/fetch/politeness/limiter.ts';
import type { EventLog } from '../../src/fetcher/event-log.ts';
import type { FetcherWorld } from '../../src/fetcher/fetcher-world.ts';
import type { WorkQueue } from '../../src/fetcher/work-queue.ts';
import { FetcherLedger } from '../../src/ledger/fetcher/fetcher-ledger.ts';
import { CurlewError, ErrorCode } from '../../src/platform/errors.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { closing } from '../fixtures/closing.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { flyingFetcher } from './flying-fetcher.ts';

const scratch = scratchDirectory();
const TWO_HOURS_MS = 2 * 3_600_000;

const casesOf = ({ url }: RunningCourt, count: number) =>
  Array.from({ length: count }, (_, n) => `${url}/case/${n + 1}`);
const pathsOf = (urls: readonly string[]) => urls.map((url) => new URL(url).pathname).toSorted();
const answeredAt = ({ log }: RunningCourt) =>
  log.entries
    .filter(({ method, status }) => method === 'GET' && status === 200)
    .map(({ path }) => path)
    .toSorted();

it('a site is down for two hours: probed after 30 s, 1, 2, 4, 5, 5 … min, and fetched when it is back', async () => {
  const court = closing(await startCourt({ highest: 20 }));
  const fetcher = await flyingFetcher(scratch('data'), { PAGE_FETCHER_ROBOTS: 'off' });
  const { clock, backend, said } = fetcher;
  const urls = casesOf(court, 20);
  await backend.queue.enqueue(urls);
  // Not `refuse`: to listen again takes real time, and the clock would fly meanwhile.
  court.faults.set({ kind: 'down', how: 'reset' });
  const began = clock.now();
  let backAt: number | undefined;
  let wholeDuring = true;
  await fetcher.fly(async () => {
    if (backAt !== undefined) return fetcher.isEmpty();
    const { waiting, leased } = await backend.queue.size();
    wholeDuring &&= waiting + leased === 20;
    if (clock.now() - began < TWO_HOURS_MS) return false;
    backAt = clock.now();
    await court.faults.clear();
    return false;
  });
  expect(wholeDuring).toBe(true);
  const waits = said.flatMap(({ event, fields }) => (event === 'circuit_open' ? [fields.nextProbeSeconds] : []));
  expect(waits.slice(0, 7)).toEqual([30, 60, 120, 240, 300, 300, 300]);
  expect(waits.slice(7).every((seconds) => seconds === 300)).toBe(true);
  const closings = said.filter(({ event }) => event === 'circuit_closed');
  expect(closings).toHaveLength(1);
  // Found out by the next probe, or the one after it where that was under way.
  expect((closings[0]?.at ?? 0) - (backAt ?? 0)).toBeLessThanOrEqual(2 * 300_000);
  expect(answeredAt(court)).toEqual(pathsOf(urls));
  expect(await backend.deadLetters.size()).toBe(0);
  expect(await fetcher.count('circuit_breaker_opened_total')).toBe(1);
  expect(await fetcher.count('circuit_breaker_closed_total')).toBe(1);
  expect(await fetcher.count('circuit_breaker_probes_total')).toBe(waits.length);
  expect(await fetcher.count('pages_requeued_total')).toBe(5);
});

it('a site says 429: it is left alone for as long as it asks, and nothing is given up', async () => {
  const clock = new FakeClock();
  const court = closing(await startCourt({ highest: 10, clock }));
  court.faults.set({ kind: 'status', status: 429, headers: { 'retry-after': '120' }, path: '/case/3', count: 2 });
  const fetcher = await flyingFetcher(scratch('data'), { PAGE_FETCHER_ROBOTS: 'off' }, { clock });
  const urls = casesOf(court, 10);
  await fetcher.backend.queue.enqueue(urls);
  await fetcher.fly(() => fetcher.isEmpty());
  expect(answeredAt(court)).toEqual(pathsOf(urls));
  expect(await fetcher.backend.deadLetters.size()).toBe(0);
  expect(await fetcher.count('pages_rate_limited_total')).toBe(2);
  const { entries } = court.log;
  for (const [index, { status, wallTime }] of entries.entries()) {
    if (status === 429) expect((entries[index + 1]?.wallTime ?? 0) - wallTime).toBeGreaterThanOrEqual(120_000);
  }
});

it('a page fails by itself: it is tried after 2 s and 4 s, and then a dead letter', async () => {
  const clock = new FakeClock();
  const court = closing(await startCourt({ highest: 3, clock }));
  court.faults.set({ kind: 'truncate', path: '/case/2' });
  const fetcher = await flyingFetcher(scratch('data'), { PAGE_FETCHER_ROBOTS: 'off' }, { clock });
  await fetcher.backend.queue.enqueue(casesOf(court, 3));
  await fetcher.fly(() => fetcher.isEmpty());
  const [letter, ...more] = await Array.fromAsync(fetcher.backend.deadLetters.list());
  expect(letter).toMatchObject({ url: `${court.url}/case/2`, reason: 'body_cut_short', status: 200, attempts: 3 });
  expect(more).toEqual([]);
  const times = court.log.entries.filter(({ path }) => path === '/case/2').map(({ wallTime }) => wallTime);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(gaps).toHaveLength(2);
  expect(gaps[0]).toBeGreaterThanOrEqual(2_000);
  expect(gaps[1]).toBeGreaterThanOrEqual(4_000);
  expect(await fetcher.count('retries_total')).toBe(2);
});

it('redirects are followed as often as it is said', async () => {
  const court = closing(await startCourt({ highest: 3, redirectMissing: [[7, 7]] }));
  const settings = { PAGE_FETCHER_ROBOTS: 'off', PAGE_FETCHER_MAX_REDIRECTS: '0' };
  const fetcher = await flyingFetcher(scratch('data'), settings);
  await fetcher.backend.queue.enqueue([`${court.url}/case/7`]);
  await fetcher.fly(() => fetcher.isEmpty());
  const letters = await Array.fromAsync(fetcher.backend.deadLetters.list());
  expect(letters).toMatchObject([{ reason: 'bad_redirect', status: 302, attempts: 1 }]);
});

it('the log is away: fetching goes on until the outbox is full, pauses, and goes on when it is back', async () => {
  const court = closing(await startCourt({ highest: 30 }));
  const published: string[] = [];
  const log = { isAway: true };
  const eventLog: EventLog = {
    check: async () => {},
    async position() {
      if (log.isAway) throw new Error('the log is away');
      return '';
    },
    idsSince: async () => new Set(published),
    async publish(events) {
      published.push(...events.map(({ event_id }) => event_id));
      return [];
    },
    close: async () => {},
  };
  const settings = {
    PAGE_FETCHER_ROBOTS: 'off',
    PAGE_FETCHER_OUTBOX_LIMIT: '10',
    PAGE_FETCHER_RATE_LIMIT_PER_SECOND: '100',
  };
  const fetcher = await flyingFetcher(scratch('data'), settings, { replaced: () => ({ eventLog }) });
  const began = fetcher.clock.now();
  const urls = casesOf(court, 30);
  await fetcher.backend.queue.enqueue(urls);
  let largest = 0;
  await fetcher.fly(async () => {
    largest = Math.max(largest, await fetcher.backend.outbox.size());
    // Ten minutes, in which every lease is kept.
    if (fetcher.clock.now() - began > 600_000) log.isAway = false;
    return fetcher.isEmpty();
  });
  expect(largest).toBe(10);
  const said = fetcher.said.map(({ event }) => event);
  expect(said.filter((event) => event === 'event_log_away').length).toBeGreaterThan(1);
  expect(said).toEqual(expect.arrayContaining(['paused', 'event_log_back', 'resumed']));
  expect(new Set(published).size).toBe(30);
  expect(published).toHaveLength(30);
  expect(answeredAt(court)).toEqual(pathsOf(urls));
});

it('the disk is full for a while: nothing is buried for it, everything is fetched, and every request is counted', async () => {
  const court = closing(await startCourt({ highest: 10 }));
  let left = 6;
  const ifThereIsRoom = () => {
    if (left-- > 0) throw new CurlewError(ErrorCode.diskFull, 'The disk is full');
  };
  const replaced = ({ politeness, remember }: FetcherWorld) => ({
    politeness: {
      robots: politeness.robots,
      breaker: politeness.breaker.bind(politeness),
      limiter(host: string, settings: RateSettings): Limiter {
        const limiter = politeness.limiter(host, settings);
        const takeTurn: Limiter['takeTurn'] = async (signal) => {
          ifThereIsRoom();
          return limiter.takeTurn(signal);
        };
        return {
          takeTurn,
          setCrawlDelay: (delayMs) => limiter.setCrawlDelay(delayMs),
          holdUntil: (instant) => limiter.holdUntil(instant),
          get intervalMs() {
            return limiter.intervalMs;
          },
          snapshot: () => limiter.snapshot(),
        };
      },
    },
    remember(unsaved: Unsaved) {
      if (unsaved.hosts.size > 0 && court.log.entries.length < 8) throw new CurlewError(ErrorCode.diskFull, 'full');
      remember?.(unsaved);
    },
  });
  const fetcher = await flyingFetcher(scratch('data'), { PAGE_FETCHER_ROBOTS: 'off' }, { replaced });
  const urls = casesOf(court, 10);
  await fetcher.backend.queue.enqueue(urls);
  await fetcher.fly(() => fetcher.isEmpty());
  expect(left).toBeLessThan(0);
  expect(await fetcher.backend.deadLetters.size()).toBe(0);
  expect(answeredAt(court)).toEqual(pathsOf(urls));
  await fetcher.close();
  const ledger = FetcherLedger.open(scratch('data'));
  const states = ledger.hosts.states();
  ledger.close();
  expect(states.get(new URL(court.url).host)).toMatchObject({ counts: { requests: 10 } });
});

it('a lease that ends while leases are extended is not taken for lost', async () => {
  const court = closing(await startCourt({ highest: 3 }));
  // The end of a lease reaches the queue, then the extension does; the answer to the end arrives last.
  const replaced = ({ backend }: FetcherWorld) => {
    const { queue } = backend;
    const stored = Promise.withResolvers<void>();
    const extended = Promise.withResolvers<void>();
    const slow: WorkQueue = {
      ...bound(queue),
      async store(lease, page) {
        const result = await queue.store(lease, page);
        stored.resolve();
        await extended.promise;
        return result;
      },
      async extend(leases, leaseMs) {
        if (leases.length === 0) return [];
        await stored.promise;
        const lost = await queue.extend(leases, leaseMs);
        extended.resolve();
        return lost;
      },
    };
    return { backend: { ...backend, queue: slow } };
  };
  const fetcher = await flyingFetcher(scratch('data'), { PAGE_FETCHER_ROBOTS: 'off' }, { replaced });
  await fetcher.backend.queue.enqueue(casesOf(court, 1));
  await fetcher.fly(() => fetcher.isEmpty());
  expect(fetcher.said.map(({ event }) => event)).not.toContain('lease_lost');
  expect(await fetcher.count('late_results_total')).toBe(0);
  expect(await fetcher.count('pages_fetched_total')).toBe(1);
});

it('a URL that waits for its retry holds no place: others of its host are fetched meanwhile', async () => {
  const clock = new FakeClock();
  const court = closing(await startCourt({ highest: 9, clock }));
  court.faults.set({ kind: 'truncate', path: '/case/1' });
  const settings = {
    PAGE_FETCHER_ROBOTS: 'off',
    PAGE_FETCHER_CONCURRENCY: '1',
    PAGE_FETCHER_HOST_CONCURRENCY: '1',
    PAGE_FETCHER_RATE_LIMIT_PER_SECOND: '10',
  };
  const fetcher = await flyingFetcher(scratch('data'), settings, { clock });
  await fetcher.backend.queue.enqueue(casesOf(court, 9));
  await fetcher.fly(() => fetcher.isEmpty());
  const order = court.log.entries.map(({ path }) => path.replace('/case/', ''));
  // Its second attempt is due after 2 s, when all others have been fetched.
  expect(order).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '1', '1']);
  expect(await fetcher.backend.deadLetters.size()).toBe(1);
});

it('a host is asked at its pace although one in four of its pages fails', async () => {
  const clock = new FakeClock();
  const court = closing(await startCourt({ highest: 100, clock }));
  court.faults.set({ kind: 'truncate', path: '/case/1' });
  court.faults.set({ kind: 'truncate', path: '/case/2' });
  const settings = { PAGE_FETCHER_ROBOTS: 'off', PAGE_FETCHER_RATE_LIMIT_PER_SECOND: '10' };
  const fetcher = await flyingFetcher(scratch('data'), settings, { clock });
  // Those of 10 to 29, and of 1, 2 and 100: nearly a fourth.
  const failing = casesOf(court, 100).filter((url) => /\/case\/[12]/.test(url)).length;
  await fetcher.backend.queue.enqueue(casesOf(court, 100));
  await fetcher.fly(() => fetcher.isEmpty());
  const { entries } = court.log;
  expect(failing).toBeGreaterThanOrEqual(22);
  expect(entries).toHaveLength(100 + 2 * failing);
  const times = entries.slice(0, 100).map(({ wallTime }) => wallTime);
  // By the clock of the test: while there is something to ask for, nobody waits for anything but the pace.
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThan(99 * 100 * 1.25);
});

it('pages that always fail become dead letters although their failures open the breaker', async () => {
  const clock = new FakeClock();
  const court = closing(await startCourt({ highest: 12, clock }));
  court.faults.set({ kind: 'status', status: 500, path: '/case/' });
  const settings = { PAGE_FETCHER_ROBOTS: 'off', PAGE_FETCHER_RATE_LIMIT_PER_SECOND: '10' };
  const fetcher = await flyingFetcher(scratch('data'), settings, { clock });
  await fetcher.backend.queue.enqueue(casesOf(court, 12));
  await fetcher.fly(() => fetcher.isEmpty());
  const letters = await Array.fromAsync(fetcher.backend.deadLetters.list());
  expect(letters.map(({ url }) => url).toSorted()).toEqual(casesOf(court, 12).toSorted());
  for (const letter of letters) expect(letter).toMatchObject({ reason: 'http_500', status: 500, attempts: 3 });
  expect(fetcher.said.some(({ event }) => event === 'circuit_open')).toBe(true);
});

function bound(queue: WorkQueue): WorkQueue {
  return {
    enqueue: queue.enqueue.bind(queue),
    lease: queue.lease.bind(queue),
    extend: queue.extend.bind(queue),
    store: queue.store.bind(queue),
    acknowledge: queue.acknowledge.bind(queue),
    giveBack: queue.giveBack.bind(queue),
    bury: queue.bury.bind(queue),
    reap: queue.reap.bind(queue),
    size: queue.size.bind(queue),
  };
}

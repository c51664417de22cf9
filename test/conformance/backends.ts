// Runs one suite on every backend: the ledger with a clock that the test moves, and a real Redis with its own.

import { randomUUID } from 'node:crypto';
import { describe, onTestFinished } from 'vitest';
import { openEmbeddedBackend } from '../../src/fetcher/embedded/embedded-backend.ts';
import type { FetcherBackend } from '../../src/fetcher/fetcher-backend.ts';
import type { PageCache } from '../../src/fetcher/page-cache.ts';
import { redisBackend } from '../../src/fetcher/redis/redis-backend.ts';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { redisNames } from '../../src/fetcher/redis/redis-names.ts';
import { type FetchedPage, fetchedPage } from '../../src/fetcher/webpage-event.ts';
import type { Lease } from '../../src/fetcher/work-queue.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { FakeClock } from '../../src/platform/fake-clock.ts';
import { passOnRedis } from '../fixtures/redis-time.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { redisOrSkip } from '../fixtures/services.ts';

export interface BackendAtTest extends FetcherBackend {
  /** Lets time go by for leases, and for pages that were put into or got from the cache. */
  pass(ms: number): Promise<void>;
}

export interface BackendOptions {
  readonly outboxLimit?: number;
}

/** `open` gives a backend with nothing in it, closed when the test is over. */
export function onEveryBackend(suite: (open: (options?: BackendOptions) => Promise<BackendAtTest>) => void): void {
  describe('in the ledger', () => {
    const scratch = scratchDirectory();
    suite(async (options = {}) => {
      const clock = new FakeClock();
      const backend = openEmbeddedBackend(scratch(randomUUID()), { ...options, clock });
      onTestFinished(() => backend.close());
      return { ...backend, pass: (ms) => clock.advance(ms) };
    });
  });

  describe('on Redis', async () => {
    const url = await redisOrSkip();
    suite(async (options = {}) => {
      const redis = await RedisConnection.open(url, { clock: systemClock });
      onTestFinished(() => redis.close());
      const own = randomUUID();
      const names = { queue: `queue:${own}`, deadLetters: `dead:${own}`, topic: `log:${own}` };
      const backend = redisBackend(redis, { ...options, ...names, clock: systemClock });
      const { deadlines, pump, labelledHosts } = redisNames(names);
      const timed = new Set([deadlines, pump, labelledHosts]);
      const cache: PageCache = {
        get(key) {
          timed.add(key);
          return backend.cache.get(key);
        },
        set(key, ...page) {
          timed.add(key);
          return backend.cache.set(key, ...page);
        },
      };
      return { ...backend, cache, pass: (ms) => passOnRedis(redis, [...timed], ms) };
    });
  });
}

export const WORKER = { worker: 'worker-1', leaseMs: 60_000 };

/** Leases until nothing is left. */
export async function leaseAll({ queue }: FetcherBackend, worker = WORKER): Promise<Lease[]> {
  const leases: Lease[] = [];
  for (;;) {
    const lease = await queue.lease(worker);
    if (lease === undefined) return leases;
    leases.push(lease);
  }
}

export async function leaseOne({ queue }: FetcherBackend, worker = WORKER): Promise<Lease> {
  const lease = await queue.lease(worker);
  if (lease === undefined) throw new Error('The queue has nothing to lease.');
  return lease;
}

let fetches = 0;

/** A page that no other test has: its URL is its own, and so is its cache key. */
export function somePage(url = `https://court.example/${randomUUID()}`): FetchedPage {
  return fetchedPage({
    url,
    status: 200,
    contentType: 'text/html; charset=utf-8',
    body: Buffer.from(`<p>fetch ${++fetches}</p>`),
    fetchedAt: Date.UTC(2026, 0, 1) + fetches,
  });
}

/** Puts the page's URL through the queue, so that its event is in the outbox. */
export async function storePage(backend: FetcherBackend, page: FetchedPage): Promise<void> {
  await backend.queue.enqueue([page.event.url]);
  const result = await backend.queue.store(await leaseOne(backend), page);
  if (result !== 'stored') throw new Error(`The page was not stored: ${result}`);
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  return Array.fromAsync(items);
}

// The robots.txt of each origin, fetched once for all workers that share a Redis. Ages are by Redis' clock, so that
// workers whose clocks differ agree on them. The last copy outlives its day, to serve while the file is unreachable.

import { z } from 'zod';
import type { RobotsRecord, RobotsStore } from '../../../fetch/robots/robots-store.ts';
import type { PatientRedis } from './patient-redis.ts';
import { underLock } from './redis-lock.ts';
import { readValue, writeValue } from './versioned-value.ts';

export interface RedisRobotsOptions {
  readonly redis: PatientRedis;
  /** A name that no other worker has. */
  readonly worker: string;
  /** How long a record is kept (`robots_txt_cache_ttl_seconds`). Default 24 h. */
  readonly maxAgeMs?: number;
  /** After how long the fetch of a worker that has died is another's. Default 10,000 ms. */
  readonly fetchLeaseMs?: number;
}

const MAX_AGE_MS = 24 * 3_600_000;
const FETCH_LEASE_MS = 10_000;
const LAST_COPY_KEPT_MS = 30 * 24 * 3_600_000;

const facts = { fetchedAt: z.number(), reason: z.string() };
const Record = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('found'), text: z.string(), ...facts }),
  z.object({ kind: z.literal('unavailable'), ...facts }),
  z.object({
    kind: z.literal('unreachable'),
    text: z.optional(z.string()).transform((text) => text),
    ...facts,
  }),
]);

/** All keys of an origin. */
export function robotsKeys(origin: string): readonly string[] {
  return [robotsKey(origin), lastCopyKey(origin), lockKey(origin)];
}

/** The seed's name for the robots.txt of `https://domain`. One that is not https has its origin in full. */
function robotsKey(origin: string): string {
  return `robots:${nameOf(origin)}`;
}

function nameOf(origin: string): string {
  return origin.replace(/^https:\/\//, '');
}

export class RedisRobotsStore implements RobotsStore {
  readonly #options: RedisRobotsOptions;
  #locks = 0;

  constructor(options: RedisRobotsOptions) {
    this.#options = options;
  }

  async get(origin: string): Promise<RobotsRecord | undefined> {
    const current = await this.#read(robotsKey(origin));
    if (current !== undefined) return current;
    const last = await this.#read(lastCopyKey(origin));
    // Whatever its age: it expired, or somebody took it away, and it shall be asked for again.
    return last && { ...last, fetchedAt: 0 };
  }

  async set(origin: string, record: RobotsRecord): Promise<void> {
    const { redis, maxAgeMs = MAX_AGE_MS } = this.#options;
    const ageMs = redis.clock.now() - record.fetchedAt;
    await redis.ask(async (link) => {
      const { now } = await readValue(link, robotsKey(origin));
      const text = JSON.stringify({ ...record, fetchedAt: now - ageMs });
      await writeValue(link, robotsKey(origin), text, maxAgeMs);
      await writeValue(link, lastCopyKey(origin), text, LAST_COPY_KEPT_MS);
    }, redis.closing);
  }

  alone<T>(origin: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const { redis, worker, fetchLeaseMs = FETCH_LEASE_MS } = this.#options;
    const holder = `${worker}:${++this.#locks}`;
    return underLock(redis, lockKey(origin), { holder, leaseMs: fetchLeaseMs }, signal, work);
  }

  /** With `fetchedAt` in this worker's time. */
  #read(key: string): Promise<RobotsRecord | undefined> {
    const { redis } = this.#options;
    return redis.ask(async (link) => {
      const { text, now } = await readValue(link, key);
      const record = text === undefined ? undefined : parse(text);
      return record && { ...record, fetchedAt: redis.clock.now() - Math.max(0, now - record.fetchedAt) };
    }, redis.closing);
  }
}

function lockKey(origin: string): string {
  return `robots_lock:${nameOf(origin)}`;
}

function lastCopyKey(origin: string): string {
  return `robots_last:${nameOf(origin)}`;
}

/** What cannot be read counts as not there. */
function parse(text: string): RobotsRecord | undefined {
  try {
    return Record.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

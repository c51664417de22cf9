// The fleet's backend: everything in one Redis, shared by any number of workers on any number of machines.

import type { Clock } from '../../platform/clock.ts';
import type { FetcherBackend } from '../fetcher-backend.ts';
import { DEFAULT_OUTBOX_LIMIT } from '../outbox.ts';
import type { RedisConnection } from './redis-connection.ts';
import { RedisDeadLetters } from './redis-dead-letters.ts';
import { RedisHealth } from './redis-health.ts';
import { RedisLabelledHosts } from './redis-labelled-hosts.ts';
import { RedisMemory } from './redis-memory.ts';
import { type RedisNameSettings, redisNames } from './redis-names.ts';
import { RedisOutbox } from './redis-outbox.ts';
import { RedisPageCache } from './redis-page-cache.ts';
import { RedisWorkQueue } from './redis-work-queue.ts';

export interface RedisBackendOptions extends RedisNameSettings {
  readonly clock: Clock;
  /** Most events in the outbox. Default 100,000. */
  readonly outboxLimit?: number;
  /** Share of Redis' memory for pages that wait to be published. Default 0.5. */
  readonly outboxMemoryShare?: number;
  /** How much memory Redis may use, where it does not say itself. */
  readonly redisMemoryBytes?: number | undefined;
}

/** Uses the connection it is given, which it does not close. */
export function redisBackend(redis: RedisConnection, options: RedisBackendOptions): FetcherBackend {
  const { clock, outboxLimit = DEFAULT_OUTBOX_LIMIT, outboxMemoryShare = 0.5, redisMemoryBytes } = options;
  const names = redisNames(options);
  const memory = new RedisMemory(redis, { share: outboxMemoryShare, ceilingBytes: redisMemoryBytes });
  const health = new RedisHealth(redis, names);
  return {
    queue: new RedisWorkQueue(redis, { names, clock, memory, outboxLimit }),
    cache: new RedisPageCache(redis),
    outbox: new RedisOutbox(redis, { names, memory, outboxLimit }),
    deadLetters: new RedisDeadLetters(redis, names),
    labelledHosts: new RedisLabelledHosts(redis, names),
    check: (how) => health.check(how),
    close: async () => {},
  };
}

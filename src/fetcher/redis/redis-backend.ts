// The fleet's backend: everything in one Redis, shared by any number of workers on any number of machines.

import type { Clock } from '../../platform/clock.ts';
import type { FetcherBackend } from '../fetcher-backend.ts';
import { DEFAULT_OUTBOX_LIMIT } from '../outbox.ts';
import type { RedisConnection } from './redis-connection.ts';
import { RedisDeadLetters } from './redis-dead-letters.ts';
import { RedisLabelledHosts } from './redis-labelled-hosts.ts';
import { type RedisNameSettings, redisNames } from './redis-names.ts';
import { RedisOutbox } from './redis-outbox.ts';
import { RedisPageCache } from './redis-page-cache.ts';
import { RedisWorkQueue } from './redis-work-queue.ts';

export interface RedisBackendOptions extends RedisNameSettings {
  readonly clock: Clock;
  /** Most events in the outbox. Default 100,000. */
  readonly outboxLimit?: number;
}

/** Uses the connection it is given, which it does not close. */
export function redisBackend(redis: RedisConnection, options: RedisBackendOptions): FetcherBackend {
  const { clock, outboxLimit = DEFAULT_OUTBOX_LIMIT } = options;
  const names = redisNames(options);
  return {
    queue: new RedisWorkQueue(redis, { names, clock, outboxLimit }),
    cache: new RedisPageCache(redis),
    outbox: new RedisOutbox(redis, names),
    deadLetters: new RedisDeadLetters(redis, names),
    labelledHosts: new RedisLabelledHosts(redis, names),
    ready: async () => redis.isReady,
    close: async () => {},
  };
}

// The queue, cache, outbox and dead letters of a fleet, in its Redis.

import type { Clock } from '../platform/clock.ts';
import type { FetcherBackend } from './fetcher-backend.ts';
import type { FetcherConfig } from './fetcher-config.ts';
import { redisBackend } from './redis/redis-backend.ts';
import { RedisConnection } from './redis/redis-connection.ts';

/** With a connection of its own. Throws `service_unavailable` when Redis does not answer within 5 s. */
export async function openFleetBackend(config: FetcherConfig, clock: Clock): Promise<FetcherBackend> {
  const connection = await RedisConnection.open(config.redisUrl, { clock, patienceMs: 5_000 });
  return { ...fleetBackend(connection, config, clock), close: () => connection.close() };
}

/** Uses the connection, and does not close it. */
export function fleetBackend(connection: RedisConnection, config: FetcherConfig, clock: Clock): FetcherBackend {
  const { inputQueue: queue, dlqQueue: deadLetters, webpageLogTopic: topic } = config;
  const { outboxLimit, outboxMemoryShare, redisMemoryBytes } = config;
  const limits = { outboxLimit, outboxMemoryShare, redisMemoryBytes };
  return redisBackend(connection, { queue, deadLetters, topic, ...limits, clock });
}

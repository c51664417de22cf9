// The parts of one worker of a fleet, on Redis and Kafka, opened, and closed in the right order.

import type { Log } from '../observe/log.ts';
import type { Clock } from '../platform/clock.ts';
import type { Dependency } from './dependency.ts';
import type { FetcherConfig } from './fetcher-config.ts';
import type { FetcherWorld, WorldOptions } from './fetcher-world.ts';
import { fleetBackend } from './fleet-backend.ts';
import { KafkaEventLog } from './kafka/kafka-event-log.ts';
import { RedisPoliteness } from './redis/politeness/redis-politeness.ts';
import { RedisConnection } from './redis/redis-connection.ts';

/** An operation waits so long for a Redis that is away; then the service tells of it and tries again. */
const PATIENCE_MS = 2_000;
const RETRY_MS = 500;

export interface FleetWorldOptions extends WorldOptions {
  readonly log: Log;
  /** Whether to create the topic of the events when it is missing. */
  readonly createTopics?: boolean;
}

/** Waits for Redis as long as it takes, and tells of it. Undefined when `stop` aborts before. */
export async function openFleetWorld(
  config: FetcherConfig,
  { clock, random, log, createTopics = false }: FleetWorldOptions,
  redis: Dependency,
  stop: AbortSignal,
): Promise<FetcherWorld | undefined> {
  const connection = await connect(config.redisUrl, clock, redis, stop);
  if (connection === undefined) return undefined;
  const politeness = new RedisPoliteness(connection, {
    clock,
    random,
    robotsMaxAgeMs: config.robotsTxtCacheTtlMs,
    onStatus(status) {
      if (status.kind === 'unreachable') redis.failed(new Error(status.reason));
    },
  });
  const { kafkaBootstrapServers: bootstrapServers, webpageLogTopic: topic } = config;
  const onTopicCreated = () => log.event('topic_created', { topic });
  const kafka = { bootstrapServers, topic, clock, ...(createTopics && { onTopicCreated }) };
  const [eventLog, asked] = [new KafkaEventLog(kafka), new KafkaEventLog(kafka)];
  return {
    backend: fleetBackend(connection, config, clock),
    politeness,
    eventLog,
    checkLog: () => asked.check(),
    async close() {
      await politeness.close();
      await Promise.all([eventLog.close(), asked.close()]);
      await connection.close();
    },
  };
}

async function connect(
  url: string,
  clock: Clock,
  redis: Dependency,
  stop: AbortSignal,
): Promise<RedisConnection | undefined> {
  const onTrouble = (error: Error) => redis.failed(error);
  while (!stop.aborted) {
    try {
      return await RedisConnection.open(url, { clock, patienceMs: PATIENCE_MS, onTrouble });
    } catch (error) {
      redis.failed(error);
      // One that refuses does so at once.
      await clock.sleep(RETRY_MS, stop).catch(() => {});
    }
  }
  return undefined;
}

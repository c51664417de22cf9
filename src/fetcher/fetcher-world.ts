// The parts that a fetcher works with, opened for one machine or for a fleet, and closed in the right order.

import type { Unsaved } from '../fetch/fetch-memory.ts';
import { NotedPoliteness } from '../fetch/noted/noted-politeness.ts';
import type { SharedPoliteness } from '../fetch/shared-politeness.ts';
import { readHostStates, storeEntry } from '../fetch/stored-memory.ts';
import { FetcherLedger } from '../ledger/fetcher/fetcher-ledger.ts';
import { FetcherLock } from '../ledger/fetcher/fetcher-lock.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { openEmbeddedBackend } from './embedded/embedded-backend.ts';
import { JsonlEventLog } from './embedded/jsonl-event-log.ts';
import type { EventLog } from './event-log.ts';
import type { FetcherBackend } from './fetcher-backend.ts';
import type { FetcherConfig } from './fetcher-config.ts';
import { eventFile, fleetBackend } from './fetcher-place.ts';
import { KafkaEventLog } from './kafka/kafka-event-log.ts';
import type { Outage } from './outage.ts';
import { RedisPoliteness } from './redis/politeness/redis-politeness.ts';
import { RedisConnection } from './redis/redis-connection.ts';

/** An operation waits so long for a Redis that is away; then the service tells of it and tries again. */
const PATIENCE_MS = 2_000;

export interface FetcherWorld {
  readonly backend: FetcherBackend;
  readonly politeness: SharedPoliteness;
  readonly eventLog: EventLog;
  /** Whether the log can be written. Asked apart from `eventLog`, so that asking disturbs no publishing. */
  isLogReady(): Promise<boolean>;
  /** Set where nobody else keeps what is learnt about hosts. */
  readonly remember?: (unsaved: Unsaved) => void;
  /** When no request is under way any more. */
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** Throws `run_owned` when another fetcher works in the directory. */
export async function openEmbeddedWorld(
  data: string,
  config: FetcherConfig,
  { clock, random }: WorldOptions,
): Promise<FetcherWorld> {
  const lock = FetcherLock.take(data);
  const backend = openEmbeddedBackend(data, { clock, outboxLimit: config.outboxLimit });
  const ledger = FetcherLedger.open(data);
  const { notes, hosts } = ledger;
  const politeness = new NotedPoliteness({ notes, clock, random, hosts: readHostStates(hosts.states()) });
  return {
    backend,
    politeness,
    eventLog: await JsonlEventLog.open(eventFile(data, config)),
    isLogReady: async () => true,
    remember: (unsaved) => saveHosts(ledger, unsaved, clock),
    async close() {
      ledger.close();
      await backend.close();
      lock.release();
    },
  };
}

/** Waits for Redis as long as it takes, and tells of it. Undefined when `stop` aborts before. */
export async function openFleetWorld(
  config: FetcherConfig,
  { clock, random }: WorldOptions,
  redis: Outage,
  stop: AbortSignal,
): Promise<FetcherWorld | undefined> {
  const connection = await connect(config.redisUrl, clock, redis, stop);
  if (connection === undefined) return undefined;
  const politeness = new RedisPoliteness(connection, {
    clock,
    random,
    robotsMaxAgeMs: config.robotsTxtCacheTtlMs,
    onStatus: (status) => (status.kind === 'unreachable' ? redis.away(new Error(status.reason)) : redis.back()),
  });
  const kafka = { bootstrapServers: config.kafkaBootstrapServers, topic: config.webpageLogTopic, clock };
  const [eventLog, asked] = [new KafkaEventLog(kafka), new KafkaEventLog(kafka)];
  return {
    backend: fleetBackend(connection, config, clock),
    politeness,
    eventLog,
    isLogReady: () => asked.ready(),
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
  redis: Outage,
  stop: AbortSignal,
): Promise<RedisConnection | undefined> {
  const onTrouble = (error: Error) => redis.away(error);
  while (!stop.aborted) {
    try {
      const connection = await RedisConnection.open(url, { clock, patienceMs: PATIENCE_MS, onTrouble });
      redis.back();
      return connection;
    } catch (error) {
      redis.away(error);
    }
  }
  return undefined;
}

/** So that a restart neither bursts nor forgets an outage. */
function saveHosts(ledger: FetcherLedger, { hosts }: Unsaved, clock: Clock): void {
  if (hosts.size === 0) return;
  const states = new Map([...hosts].map(([host, state]) => [host, storeEntry(state)]));
  ledger.transaction(() => ledger.hosts.remember({ hosts: states, robots: new Map() }, clock.now()));
}

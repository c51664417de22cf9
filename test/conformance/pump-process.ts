// A process that takes one batch of events from Redis to Kafka and dies as if the power had failed: `after` the batch is in the
// topic but before the outbox knows, or `during` the publishing. Arguments: Redis, Kafka, topic, name of the pump, when.

import type { EventLog } from '../../src/fetcher/event-log.ts';
import { KafkaEventLog } from '../../src/fetcher/kafka/kafka-event-log.ts';
import { OutboxPump } from '../../src/fetcher/outbox-pump.ts';
import { redisBackend } from '../../src/fetcher/redis/redis-backend.ts';
import { RedisConnection } from '../../src/fetcher/redis/redis-connection.ts';
import { systemClock as clock } from '../../src/platform/clock.ts';

const [redisUrl = '', bootstrapServers = '', topic = '', name = '', when = ''] = process.argv.slice(2);
const { outbox } = redisBackend(await RedisConnection.open(redisUrl, { clock }), { clock, topic });
const kafka = new KafkaEventLog({ bootstrapServers, topic, clock });
const die = () => process.kill(process.pid, 'SIGKILL');

const log: EventLog = {
  check: () => kafka.check(),
  position: () => kafka.position(),
  idsSince: (position) => kafka.idsSince(position),
  async publish(events, signal) {
    // The first connection is made before, so that the time to die is within the sending.
    if (when === 'during') setTimeout(die, Math.random() * 20);
    const refusals = await kafka.publish(events, signal);
    die();
    return refusals;
  },
  close: () => kafka.close(),
};
const never = new AbortController().signal;
await new OutboxPump({ outbox, log, clock, name, leaseMs: 1_000, cacheTtlMs: 60_000 }).run(never, never);

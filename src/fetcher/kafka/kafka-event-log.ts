// The event log as a Kafka topic. The producer is idempotent and waits for all replicas; the key of a message is the sha256 of
// the URL as hex, spread over the partitions as Java's client does, so that events of one URL stay in order.
// Publishing goes on through an outage with one and the same producer, whose sequence numbers keep a batch from being taken
// twice; a question ends in time. After an error the clients are thrown away, so that nothing of them leaves later.

import { Admin, Consumer, compatibilityPartitioner, Producer } from '@platformatic/kafka';
import type { Clock } from '../../platform/clock.ts';
import { onAbort } from '../../platform/on-abort.ts';
import type { EventLog, LogPosition, Refusal } from '../event-log.ts';
import { messageKeyOf, type WebpageEvent } from '../webpage-event.ts';
import { isExistingTopic, isMissingTopic, isTooLarge, type KafkaPlace, kafkaTrouble } from './kafka-error.ts';
import { endOf, idsFrom } from './topic-tail.ts';

/** Shorter than the lease of the pump. */
export const QUESTION_LIMIT_MS = 8_000;
const REQUEST_LIMIT_MS = 3_000;
const LONGEST_RETRY_MS = 2_000;
/** Half of what a broker takes in one request unless it is told otherwise. */
const BATCH_BYTES = 512 * 1024;

/** What a broker takes for its own default. */
const AS_THE_BROKER_HAS_IT = -1;

export interface KafkaEventLogOptions extends KafkaPlace {
  readonly clock: Clock;
  /** Set where a missing topic is to be created; called when that was done. */
  readonly onTopicCreated?: () => void;
}

type BytesProducer = Producer<Buffer, Buffer, Buffer, Buffer>;
type BytesConsumer = Consumer<Buffer, Buffer, Buffer, Buffer>;

interface Clients {
  readonly producer: BytesProducer;
  /** Reads by offset only; it never joins a group. */
  readonly consumer: BytesConsumer;
}

export class KafkaEventLog implements EventLog {
  readonly #options: KafkaEventLogOptions;
  #clients: Clients | undefined;
  #closed = false;

  /** Connects when it is used. */
  constructor(options: KafkaEventLogOptions) {
    this.#options = options;
  }

  async check(): Promise<void> {
    await this.#ask(({ consumer }) => consumer.metadata({ topics: [this.#options.topic], forceUpdate: true }));
  }

  position(): Promise<LogPosition> {
    return this.#ask(({ consumer }) => endOf(consumer, this.#options.topic));
  }

  idsSince(position: LogPosition): Promise<ReadonlySet<string>> {
    return this.#ask(({ consumer }) => idsFrom(consumer, this.#options.topic, position));
  }

  publish(events: readonly WebpageEvent[], signal: AbortSignal): Promise<readonly Refusal[]> {
    return this.#use(async (clients) => {
      const before = await endOf(clients.consumer, this.#options.topic);
      const refusals: Refusal[] = [];
      for (const batch of batchesOf(events)) refusals.push(...(await this.#publishBatch(clients, batch, before)));
      return refusals;
    }, signal);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#discard();
  }

  async #publishBatch(clients: Clients, batch: readonly WebpageEvent[], before: LogPosition): Promise<Refusal[]> {
    const { topic } = this.#options;
    try {
      await send(clients.producer, topic, batch);
      return [];
    } catch (error) {
      if (!isTooLarge(error)) throw error;
    }
    const [only, ...others] = batch;
    if (only !== undefined && others.length === 0) return [{ eventId: only.event_id, reason: 'event_too_large' }];
    // Other partitions may have taken their part of the batch.
    const arrived = await idsFrom(clients.consumer, topic, before);
    const refusals: Refusal[] = [];
    for (const event of batch) {
      if (!arrived.has(event.event_id)) refusals.push(...(await this.#publishBatch(clients, [event], before)));
    }
    return refusals;
  }

  async #ask<T>(question: (clients: Clients) => Promise<T>): Promise<T> {
    const answered = new AbortController();
    const late = new AbortController();
    const waiting = this.#options.clock.sleep(QUESTION_LIMIT_MS, answered.signal).then(
      () => late.abort(new Error(`no answer within ${QUESTION_LIMIT_MS} ms`)),
      () => {},
    );
    try {
      return await this.#use(question, late.signal);
    } finally {
      answered.abort();
      await waiting;
    }
  }

  /** Ends when the signal aborts, whatever the clients do. */
  async #use<T>(work: (clients: Clients) => Promise<T>, signal: AbortSignal, isSecond = false): Promise<T> {
    const aborted = Promise.withResolvers<never>();
    const stopListening = onAbort(signal, () => aborted.reject(signal.reason));
    try {
      signal.throwIfAborted();
      return await Promise.race([work(this.#open()), aborted.promise]);
    } catch (error) {
      await this.#discard();
      const { onTopicCreated } = this.#options;
      if (onTopicCreated === undefined || isSecond || signal.aborted || !isMissingTopic(error)) {
        throw kafkaTrouble(error, this.#options);
      }
      await this.#createTopic(error, onTopicCreated);
      return await this.#use(work, signal, true);
    } finally {
      stopListening();
    }
  }

  #open(): Clients {
    if (this.#closed) throw new Error('the event log is closed');
    this.#clients ??= openClients(this.#options.bootstrapServers);
    return this.#clients;
  }

  /** With as many partitions and replicas as the brokers have for default. */
  async #createTopic(missing: unknown, onCreated: () => void): Promise<void> {
    const { bootstrapServers, topic } = this.#options;
    const admin = new Admin({ ...connectionOptions(bootstrapServers), retries: 0 });
    try {
      await admin.createTopics({ topics: [topic], partitions: AS_THE_BROKER_HAS_IT, replicas: AS_THE_BROKER_HAS_IT });
      onCreated();
    } catch (error) {
      if (!isExistingTopic(error)) throw kafkaTrouble(missing, this.#options, error);
    } finally {
      await admin.close().catch(() => {});
    }
  }

  async #discard(): Promise<void> {
    const clients = this.#clients;
    this.#clients = undefined;
    // What it says while it is closed by force is of no use to anybody.
    await clients?.producer.close(true).catch(() => {});
    await clients?.consumer.close(true).catch(() => {});
  }
}

function connectionOptions(bootstrapServers: string) {
  return {
    clientId: 'curlew-page-fetcher',
    bootstrapBrokers: bootstrapServers.split(',').map((server) => server.trim()),
    timeout: REQUEST_LIMIT_MS,
    connectTimeout: REQUEST_LIMIT_MS,
  };
}

function openClients(bootstrapServers: string): Clients {
  const common = { ...connectionOptions(bootstrapServers), autocreateTopics: true };
  return {
    producer: new Producer<Buffer, Buffer, Buffer, Buffer>({
      ...common,
      idempotent: true,
      partitioner: compatibilityPartitioner,
      retries: true,
      retryDelay: (_client, _operation, attempt) => Math.min(100 * 2 ** attempt, LONGEST_RETRY_MS),
    }),
    consumer: new Consumer<Buffer, Buffer, Buffer, Buffer>({
      ...common,
      groupId: 'curlew-page-fetcher-outbox',
      retries: 3,
      retryDelay: 200,
    }),
  };
}

async function send(producer: BytesProducer, topic: string, events: readonly WebpageEvent[]): Promise<void> {
  const messages = events.map((event) => ({
    topic,
    key: Buffer.from(messageKeyOf(event.url)),
    value: Buffer.from(JSON.stringify(event)),
  }));
  await producer.send({ messages });
}

/** In order, each small enough for one request. */
function batchesOf(events: readonly WebpageEvent[]): WebpageEvent[][] {
  const batches: WebpageEvent[][] = [];
  let room = 0;
  for (const event of events) {
    const size = Buffer.byteLength(JSON.stringify(event));
    const last = batches.at(-1);
    if (last !== undefined && size <= room) {
      last.push(event);
      room -= size;
    } else {
      batches.push([event]);
      room = BATCH_BYTES - size;
    }
  }
  return batches;
}

// The event log as a Kafka topic. The producer is idempotent and waits for all replicas; the key of a message is the sha256 of
// the URL as hex, spread over the partitions as Java's client does, so that events of one URL stay in order.
// Publishing goes on through an outage with one and the same producer, whose sequence numbers keep a batch from being taken
// twice; a question ends in time. After an error the clients are thrown away, so that nothing of them leaves later.

import { Consumer, compatibilityPartitioner, Producer } from '@platformatic/kafka';
import type { Clock } from '../../platform/clock.ts';
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';
import { onAbort } from '../../platform/on-abort.ts';
import type { EventLog, LogPosition, Refusal } from '../event-log.ts';
import { messageKeyOf, type WebpageEvent } from '../webpage-event.ts';
import { isTooLarge } from './kafka-error.ts';
import { endOf, idsFrom } from './topic-tail.ts';

/** Shorter than the lease of the pump. */
export const QUESTION_LIMIT_MS = 8_000;
const REQUEST_LIMIT_MS = 3_000;
const LONGEST_RETRY_MS = 2_000;
/** Half of what a broker takes in one request unless it is told otherwise. */
const BATCH_BYTES = 512 * 1024;

export interface KafkaEventLogOptions {
  /** `host:port`, several with commas between. */
  readonly bootstrapServers: string;
  readonly topic: string;
  readonly clock: Clock;
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

  async ready(): Promise<boolean> {
    try {
      await this.#ask(({ consumer }) => consumer.metadata({ topics: [this.#options.topic], forceUpdate: true }));
      return true;
    } catch {
      return false;
    }
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
  async #use<T>(work: (clients: Clients) => Promise<T>, signal: AbortSignal): Promise<T> {
    const aborted = Promise.withResolvers<never>();
    const stopListening = onAbort(signal, () => aborted.reject(signal.reason));
    try {
      signal.throwIfAborted();
      return await Promise.race([work(this.#open()), aborted.promise]);
    } catch (error) {
      await this.#discard();
      throw new CurlewError(
        ErrorCode.serviceUnavailable,
        `Kafka at ${this.#options.bootstrapServers} does not answer: ${messageOf(error)}`,
        { remedy: 'Start it, or name another one in PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS.', cause: error },
      );
    } finally {
      stopListening();
    }
  }

  #open(): Clients {
    if (this.#closed) throw new Error('the event log is closed');
    this.#clients ??= openClients(this.#options.bootstrapServers);
    return this.#clients;
  }

  async #discard(): Promise<void> {
    const clients = this.#clients;
    this.#clients = undefined;
    // What it says while it is closed by force is of no use to anybody.
    await clients?.producer.close(true).catch(() => {});
    await clients?.consumer.close(true).catch(() => {});
  }
}

function openClients(bootstrapServers: string): Clients {
  const common = {
    clientId: 'curlew-page-fetcher',
    bootstrapBrokers: bootstrapServers.split(',').map((server) => server.trim()),
    autocreateTopics: true,
    timeout: REQUEST_LIMIT_MS,
    connectTimeout: REQUEST_LIMIT_MS,
  };
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

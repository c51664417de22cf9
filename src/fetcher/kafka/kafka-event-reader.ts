// The events of a topic, read by offset: without a consumer group, so that looking changes nothing for anybody.

import { Consumer } from '@platformatic/kafka';
import type { Clock } from '../../platform/clock.ts';
import { type EventReader, type ReadFrom, readEvent } from '../event-reader.ts';
import type { WebpageEvent } from '../webpage-event.ts';
import { type KafkaPlace, kafkaTrouble } from './kafka-error.ts';
import { QUESTION_LIMIT_MS } from './kafka-event-log.ts';
import { type BytesConsumer, earliestOffsets, fetchFrom, later, latestOffsets } from './topic-tail.ts';

export interface KafkaEventReaderOptions extends KafkaPlace {
  readonly from: ReadFrom;
  readonly clock: Clock;
}

export class KafkaEventReader implements EventReader {
  readonly #options: KafkaEventReaderOptions;
  readonly #consumer: BytesConsumer;
  #offsets: bigint[] | undefined;

  /** Connects when it is used. */
  constructor(options: KafkaEventReaderOptions) {
    this.#options = options;
    this.#consumer = new Consumer<Buffer, Buffer, Buffer, Buffer>({
      clientId: 'curlew-tail',
      groupId: 'curlew-tail',
      bootstrapBrokers: options.bootstrapServers.split(',').map((server) => server.trim()),
      autocreateTopics: true,
      timeout: 3_000,
      connectTimeout: 3_000,
      retries: 3,
      retryDelay: 200,
    });
  }

  /** Throws `service_unavailable` when Kafka does not answer. */
  async next(): Promise<readonly WebpageEvent[]> {
    const { topic } = this.#options;
    try {
      const ends = await this.#ask(latestOffsets(this.#consumer, topic));
      const offsets = (this.#offsets ??= await this.#begin(ends));
      const events: WebpageEvent[] = [];
      for (const [partition, end] of ends.entries()) {
        for (let offset = offsets[partition] ?? 0n; offset < end; offset = offsets[partition] ?? end) {
          const messages = await this.#ask(fetchFrom(this.#consumer, topic, partition, offset));
          events.push(...(messages?.values ?? []).flatMap((value) => readEvent(value?.toString() ?? '')));
          offsets[partition] = messages?.next ?? end;
        }
      }
      return events;
    } catch (error) {
      throw kafkaTrouble(error, this.#options);
    }
  }

  async close(): Promise<void> {
    await this.#consumer.close(true);
  }

  /** A broker that takes connections and says nothing would be waited for, for minutes. */
  async #ask<T>(question: Promise<T>): Promise<T> {
    const answered = new AbortController();
    const late = this.#options.clock.sleep(QUESTION_LIMIT_MS, answered.signal).then(() => {
      throw new Error(`no answer within ${QUESTION_LIMIT_MS} ms`);
    });
    try {
      return await Promise.race([question, late]);
    } finally {
      late.catch(() => {});
      answered.abort();
    }
  }

  async #begin(ends: readonly bigint[]): Promise<bigint[]> {
    const { topic, from } = this.#options;
    const starts = await this.#ask(earliestOffsets(this.#consumer, topic));
    if (from.kind === 'beginning') return [...starts];
    return ends.map((end, partition) => later(starts[partition] ?? 0n, end - BigInt(from.count)));
  }
}

// The events of a topic, read by offset: without a consumer group, so that looking changes nothing for anybody.

import { Consumer } from '@platformatic/kafka';
import { CurlewError, ErrorCode, messageOf } from '../../platform/errors.ts';
import { type EventReader, type ReadFrom, readEvent } from '../event-reader.ts';
import type { WebpageEvent } from '../webpage-event.ts';
import { type BytesConsumer, earliestOffsets, fetchFrom, later, latestOffsets } from './topic-tail.ts';

export interface KafkaEventReaderOptions {
  /** `host:port`, several with commas between. */
  readonly bootstrapServers: string;
  readonly topic: string;
  readonly from: ReadFrom;
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
    const { topic, bootstrapServers } = this.#options;
    try {
      const ends = await latestOffsets(this.#consumer, topic);
      const offsets = (this.#offsets ??= await this.#begin(ends));
      const events: WebpageEvent[] = [];
      for (const [partition, end] of ends.entries()) {
        for (let offset = offsets[partition] ?? 0n; offset < end; offset = offsets[partition] ?? end) {
          const messages = await fetchFrom(this.#consumer, topic, partition, offset);
          events.push(...(messages?.values ?? []).flatMap((value) => readEvent(value?.toString() ?? '')));
          offsets[partition] = messages?.next ?? end;
        }
      }
      return events;
    } catch (error) {
      throw new CurlewError(
        ErrorCode.serviceUnavailable,
        `Kafka at ${bootstrapServers} does not answer: ${messageOf(error)}`,
        { remedy: 'Start it, or name another one in PAGE_FETCHER_KAFKA_BOOTSTRAP_SERVERS.', cause: error },
      );
    }
  }

  async close(): Promise<void> {
    await this.#consumer.close(true);
  }

  async #begin(ends: readonly bigint[]): Promise<bigint[]> {
    const { topic, from } = this.#options;
    const starts = await earliestOffsets(this.#consumer, topic);
    if (from.kind === 'beginning') return [...starts];
    return ends.map((end, partition) => later(starts[partition] ?? 0n, end - BigInt(from.count)));
  }
}

// The end of a topic: where it is, and which events lie behind an earlier one. Read by offset, without a consumer group.

import type { Consumer } from '@platformatic/kafka';
import { z } from 'zod';
import type { LogPosition } from '../event-log.ts';

export type BytesConsumer = Consumer<Buffer, Buffer, Buffer, Buffer>;

const FETCH_BYTES = 1024 * 1024;
/** What ListOffsets takes for the time of the first message that is kept. */
const EARLIEST = -2n;
const Position = z.array(z.string().transform(BigInt));
const WithId = z.object({ event_id: z.string() });

/** Where the topic ends. A topic that is not there yet is made by asking for it. */
export async function endOf(consumer: BytesConsumer, topic: string): Promise<LogPosition> {
  return JSON.stringify((await latestOffsets(consumer, topic)).map(String));
}

/** The ids of all events behind the position. Messages of others are passed over. */
export async function idsFrom(consumer: BytesConsumer, topic: string, position: LogPosition): Promise<Set<string>> {
  const from = Position.parse(JSON.parse(position));
  const ids = new Set<string>();
  const ends = await latestOffsets(consumer, topic);
  const starts = await earliestOffsets(consumer, topic);
  for (const [partition, end] of ends.entries()) {
    // What the broker's retention has removed is not asked for; a partition that was added since is read from its beginning.
    for (let offset = later(from[partition] ?? 0n, starts[partition] ?? 0n); offset < end; ) {
      const messages = await fetchFrom(consumer, topic, partition, offset);
      if (messages === undefined) break;
      for (const value of messages.values) addId(ids, value);
      offset = messages.next;
    }
  }
  return ids;
}

/** The offset that the next message of each partition will get. */
export async function latestOffsets(consumer: BytesConsumer, topic: string): Promise<readonly bigint[]> {
  await consumer.metadata({ topics: [topic], autocreateTopics: true });
  return (await consumer.listOffsets({ topics: [topic] })).get(topic) ?? [];
}

/** The offset of the first message of each partition that is kept. */
export async function earliestOffsets(consumer: BytesConsumer, topic: string): Promise<readonly bigint[]> {
  return (await consumer.listOffsets({ topics: [topic], timestamp: EARLIEST })).get(topic) ?? [];
}

/** Undefined when there is nothing at or behind the offset. */
export async function fetchFrom(
  consumer: BytesConsumer,
  topic: string,
  partition: number,
  offset: bigint,
): Promise<{ readonly values: readonly (Buffer | null)[]; readonly next: bigint } | undefined> {
  const metadata = (await consumer.metadata({ topics: [topic] })).topics.get(topic);
  const leader = metadata?.partitions[partition]?.leader;
  if (metadata === undefined || leader === undefined) return undefined;
  const wanted = {
    partition,
    fetchOffset: offset,
    currentLeaderEpoch: -1,
    lastFetchedEpoch: -1,
    partitionMaxBytes: FETCH_BYTES,
  };
  const response = await consumer.fetch({
    node: leader,
    topics: [{ topicId: metadata.id, partitions: [wanted] }],
    minBytes: 1,
    maxWaitTime: 500,
  });
  const batches = response.responses[0]?.partitions[0]?.records ?? [];
  const last = batches.at(-1);
  if (last === undefined) return undefined;
  const values = batches.flatMap(({ firstOffset, records }) =>
    // A fetch gives whole batches, the first of which may begin before the offset.
    records.filter((record) => firstOffset + BigInt(record.offsetDelta) >= offset).map(({ value }) => value),
  );
  return { values, next: last.firstOffset + BigInt(last.lastOffsetDelta) + 1n };
}

export function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function addId(ids: Set<string>, value: Buffer | null): void {
  try {
    const read = WithId.safeParse(JSON.parse(value?.toString() ?? ''));
    if (read.success) ids.add(read.data.event_id);
  } catch {
    // Not JSON, so not ours.
  }
}

// Whether @platformatic/kafka keeps what the fetcher promises on a real broker, and at what pace: every message once and in
// order per key, also when the broker is killed in the middle; what a refused message looks like; reading a range of offsets.
// Usage: node bench/clients/kafka.ts

import { Admin, Consumer, compatibilityPartitioner, type MessageToProduce, Producer } from '@platformatic/kafka';
import { kafka } from '../../scripts/services/kafka.ts';

const EVENTS = Number(process.env.EVENTS ?? 50_000);
const BATCH = Number(process.env.BATCH ?? 500);
const KEYS = 50;
const TOPIC = 'bench';

const server = await kafka.start();
const common = { clientId: 'bench', bootstrapBrokers: [server.address] };
const producer = new Producer<Buffer, Buffer, Buffer, Buffer>({
  ...common,
  idempotent: true,
  partitioner: compatibilityPartitioner,
  autocreateTopics: true,
  retryDelay: 200,
});

function batchFrom(first: number): MessageToProduce[] {
  return Array.from({ length: BATCH }, (_, index) => {
    const n = first + index;
    const value = Buffer.from(JSON.stringify({ n, padding: 'x'.repeat(400) }));
    return { topic: TOPIC, key: Buffer.from(`key ${n % KEYS}`), value };
  });
}

// Once, so that the topic is there.
await producer.send({ messages: batchFrom(0) });
const cpu = process.cpuUsage();
const began = performance.now();
for (let n = BATCH; n < EVENTS; n += BATCH) await producer.send({ messages: batchFrom(n) });
const seconds = (performance.now() - began) / 1_000;
const used = process.cpuUsage(cpu);
console.log(
  `idempotent, acks all, ${BATCH} to a batch, one at a time: ${Math.round((EVENTS - BATCH) / seconds)} events/s,`,
  `${((used.user + used.system) / (EVENTS - BATCH)).toFixed(1)} µs of CPU each`,
);

// The broker is killed while batches leave, and comes back 3 s later.
const sending = (async () => {
  let longest = 0;
  for (let n = EVENTS; n < 2 * EVENTS; n += BATCH) {
    const start = performance.now();
    await producer.send({ messages: batchFrom(n) });
    longest = Math.max(longest, performance.now() - start);
  }
  return longest;
})();
await new Promise((resolve) => setTimeout(resolve, 100));
await server.kill();
await new Promise((resolve) => setTimeout(resolve, 3_000));
await server.start();
const back = performance.now();
const longest = await sending.catch((error) => console.log('sending failed:', error));
console.log(
  `killed in the middle: the longest send took ${Math.round(longest ?? 0)} ms;`,
  `all was sent ${Math.round(performance.now() - back)} ms after the broker was back`,
);

const admin = new Admin(common);
const metadata = await admin.metadata({ topics: [TOPIC] });
const partitions = metadata.topics.get(TOPIC)?.partitionsCount ?? 0;
const consumer = new Consumer({ ...common, groupId: 'bench' });
const stream = await consumer.consume({ topics: [TOPIC], mode: 'earliest', autocommit: true });
const seen = new Set<number>();
const last = new Map<string, number>();
let twice = 0;
let disorder = 0;
for await (const { key, value } of stream) {
  const { n } = JSON.parse(value.toString());
  if (seen.has(n)) twice++;
  seen.add(n);
  if (n < (last.get(key.toString()) ?? -1)) disorder++;
  last.set(key.toString(), n);
  if (seen.size === 2 * EVENTS) break;
}
console.log(
  `${partitions} partitions: ${seen.size} of ${2 * EVENTS} events arrived, ${twice} twice, ${disorder} out of order`,
);

const offsets = await consumer.listOffsets({ topics: [TOPIC] });
const topic = metadata.topics.get(TOPIC);
if (topic === undefined) throw new Error('no topic');
const end = offsets.get(TOPIC)?.[0] ?? 0n;
const range = await consumer.fetch({
  node: topic.partitions[0]?.leader ?? 0,
  minBytes: 0,
  maxWaitTime: 500,
  topics: [
    {
      topicId: topic.id,
      partitions: [
        {
          partition: 0,
          currentLeaderEpoch: -1,
          fetchOffset: end - 10n,
          lastFetchedEpoch: -1,
          partitionMaxBytes: 1_000_000,
        },
      ],
    },
  ],
});
const read = range.responses[0]?.partitions[0]?.records ?? [];
console.log(
  `a range: asked from ${end - 10n} to ${end}, got`,
  read.map(({ firstOffset, records }) => `${records.length} from ${firstOffset}`).join(', '),
);

try {
  await producer.send({ messages: [{ topic: TOPIC, key: Buffer.from('big'), value: Buffer.alloc(2_000_000) }] });
  console.log('2 MB: accepted');
} catch (error) {
  const ids: unknown[] = [];
  const walk = (one: unknown): void => {
    if (!(one instanceof Error)) return;
    if ('apiId' in one) ids.push(one.apiId);
    if (one instanceof AggregateError) one.errors.forEach(walk);
    walk(one.cause);
  };
  walk(error);
  console.log(`2 MB: refused with ${ids.join(', ')}`);
}
await producer.send({ messages: batchFrom(2 * EVENTS) });
console.log('the producer goes on after a refusal');

await stream.close();
await consumer.close(true);
await admin.close();
await producer.close();
await server.close();

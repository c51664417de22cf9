// A Kafka that answers, but not as a worker needs it: no topic, no right to use it, messages too large for it. The worker says
// which of these it is, and goes on by itself when it is put right.

import { connect as connectTo, createServer } from 'node:net';
import {
  AclOperations,
  type AclOperationValue,
  AclPermissionTypes,
  Admin,
  ResourcePatternTypes,
  ResourceTypes,
  type ResourceTypeValue,
} from '@platformatic/kafka';
import { expect, it, onTestFinished } from 'vitest';
import { startCourt } from '../../sim/court/court.ts';
import { closing } from '../fixtures/closing.ts';
import { ownKafkaOrSkip, redisOrSkip } from '../fixtures/services.ts';
import { type Env, type Fleet, ownFleet, startWorker, type WorkerProcess } from './fleet.ts';

const redis = await redisOrSkip();
const kafka = await ownKafkaOrSkip({
  'auto.create.topics.enable': false,
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  // What no rule is about may be used by everybody.
  'allow.everyone.if.no.acl.found': true,
});

/** A loaded machine may take long; only what never comes fails. */
const { READ, WRITE, CREATE, DESCRIBE } = AclOperations;

const fleetOf = (settings: Env = {}) => ownFleet(redis, kafka?.address ?? '', settings);
const topicOf = ({ env }: Fleet) => env.PAGE_FETCHER_WEBPAGE_LOG_TOPIC ?? '';

function adminClient(): Admin {
  const admin = new Admin({ clientId: 'curlew-test', bootstrapBrokers: [kafka?.address ?? ''] });
  onTestFinished(() => admin.close());
  return admin;
}

/** With a rule about a topic, what is not allowed by one is forbidden. */
async function allowOnly(type: ResourceTypeValue, resourceName: string, operations: readonly AclOperationValue[]) {
  await adminClient().createAcls({
    creations: operations.map((operation) => ({
      resourceType: type,
      resourceName,
      resourcePatternType: ResourcePatternTypes.LITERAL,
      principal: 'User:ANONYMOUS',
      host: '*',
      operation,
      permissionType: AclPermissionTypes.ALLOW,
    })),
  });
}

/** A court with one page in the queue. */
async function withOneCase(fleet: Fleet): Promise<string> {
  const court = closing(await startCourt({ highest: 5 }));
  await fleet.queue.enqueue([`${court.url}/case/1`]);
  return `${court.url}/case/1`;
}

const reasonsOf = (worker: WorkerProcess) =>
  worker.lines.flatMap(({ event, reason }) => (event === 'kafka_away' ? [String(reason)] : []));

it('a missing topic is named as such, and the event arrives when somebody has created it', async () => {
  const fleet = await fleetOf();
  const url = await withOneCase(fleet);
  const worker = startWorker(fleet.env);
  const topic = topicOf(fleet);
  expect(await worker.says('kafka_away')).toMatchObject({
    reason: `Kafka at ${kafka?.address} has no topic "${topic}" and does not create one by itself.`,
    remedy: expect.stringContaining('--create-topics'),
  });
  await expect.poll(() => fleet.outbox.size()).toBe(1);
  expect((await worker.ask('/readyz')).status).toBe(503);
  expect(reasonsOf(worker).filter((reason) => reason.includes('does not answer'))).toEqual([]);
  await adminClient().createTopics({ topics: [topic], partitions: 1, replicas: 1 });
  await fleet.finished();
  expect((await fleet.events()).map((event) => event.url)).toEqual([url]);
  await worker.says('kafka_back');
});

it('--create-topics creates it, says so, and has nothing to do the next time', async () => {
  const fleet = await fleetOf();
  const url = await withOneCase(fleet);
  const worker = startWorker(fleet.env, '--create-topics');
  expect(await worker.says('topic_created')).toMatchObject({ topic: topicOf(fleet) });
  await fleet.finished();
  expect((await fleet.events()).map((event) => event.url)).toEqual([url]);
  const next = startWorker(fleet.env, '--create-topics');
  await expect.poll(async () => (await next.ask('/readyz')).status).toBe(200);
  expect(next.lines.filter(({ event }) => event === 'topic_created')).toEqual([]);
});

it.each([
  { what: 'see', allowed: [CREATE] },
  { what: 'write', allowed: [DESCRIBE, READ] },
])('a topic that the worker may not $what is named as such', async ({ allowed }) => {
  const fleet = await fleetOf();
  const topic = topicOf(fleet);
  await adminClient().createTopics({ topics: [topic], partitions: 1, replicas: 1 });
  await allowOnly(ResourceTypes.TOPIC, topic, allowed);
  await withOneCase(fleet);
  const worker = startWorker(fleet.env);
  const refused = expect.stringContaining(`does not allow this client to use topic "${topic}"`);
  await expect.poll(() => reasonsOf(worker)).toContainEqual(refused);
  await expect.poll(() => fleet.outbox.size()).toBe(1);
  await allowOnly(ResourceTypes.TOPIC, topic, [READ, WRITE, DESCRIBE]);
  await expect.poll(() => fleet.outbox.size()).toBe(0);
});

it('an event that is too large for the topic becomes a dead letter, with a line in the log', async () => {
  const fleet = await fleetOf();
  const topic = topicOf(fleet);
  const configs = [{ name: 'max.message.bytes', value: '200' }];
  await adminClient().createTopics({ topics: [topic], partitions: 1, replicas: 1, configs });
  const url = await withOneCase(fleet);
  const worker = startWorker(fleet.env);
  expect(await worker.says('event_too_large')).toMatchObject({ level: 'error', url });
  await fleet.finished();
  const letters = await Array.fromAsync(fleet.deadLetters.list());
  expect(letters).toMatchObject([{ url, reason: 'event_too_large', status: 200 }]);
  await expect.poll(async () => (await worker.ask('/readyz')).status).toBe(200);
});

it('a broker can be named by its IPv6 address', async () => {
  const through = createServer((socket) => {
    const [, port] = (kafka?.address ?? '').split(':');
    const other = connectTo(Number(port), '127.0.0.1');
    for (const side of [socket, other])
      side.on('error', () => {}).on('close', () => [socket, other].map((s) => s.destroy()));
    socket.pipe(other).pipe(socket);
  });
  await new Promise<void>((resolve) => through.listen(0, '::1', resolve));
  onTestFinished(() => void through.close());
  const address = through.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const fleet = await ownFleet(redis, `[::1]:${port}`);
  await adminClient().createTopics({ topics: [topicOf(fleet)], partitions: 1, replicas: 1 });
  await withOneCase(fleet);
  startWorker(fleet.env);
  await fleet.finished();
});

// The last, since nobody may create a topic afterwards.
it('--create-topics says when it is not allowed to', async () => {
  const fleet = await fleetOf();
  const topic = topicOf(fleet);
  // Only reading the topic is allowed, so creating it is not.
  await allowOnly(ResourceTypes.TOPIC, topic, [DESCRIBE]);
  await allowOnly(ResourceTypes.CLUSTER, 'kafka-cluster', [DESCRIBE]);
  const worker = startWorker(fleet.env, '--create-topics');
  expect(await worker.says('kafka_away')).toMatchObject({
    reason: expect.stringContaining(`has no topic "${topic}" and refuses to create it: `),
  });
  expect(worker.lines.filter(({ event }) => event === 'topic_created')).toEqual([]);
});

// What every event log promises: order, safety, and an answer to the question what has arrived.

import { randomUUID } from 'node:crypto';
import { appendFile, readFile } from 'node:fs/promises';
import { Admin } from '@platformatic/kafka';
import { describe, expect, it, onTestFinished } from 'vitest';
import { JsonlEventLog } from '../../src/fetcher/embedded/jsonl-event-log.ts';
import type { EventLog } from '../../src/fetcher/event-log.ts';
import { KafkaEventLog } from '../../src/fetcher/kafka/kafka-event-log.ts';
import { fetchedPage, messageKeyOf, type WebpageEvent } from '../../src/fetcher/webpage-event.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { scratchDirectory } from '../fixtures/scratch-directory.ts';
import { kafkaOrSkip } from '../fixtures/services.ts';
import { readTopic } from '../fixtures/topic.ts';
import { somePage } from './backends.ts';

const NEVER = new AbortController().signal;

interface LogAtTest {
  readonly log: EventLog;
  /** Everything in it, each URL's in order. */
  events(): Promise<WebpageEvent[]>;
}

function promises(open: () => Promise<LogAtTest>): void {
  const someEvents = (count: number, urls = count) =>
    Array.from({ length: count }, (_, n) => somePage(`https://court.example/${n % urls}`).event);

  it('has what was published, the events of one URL in order', async () => {
    const { log, events } = await open();
    const published = someEvents(60, 7);
    expect(await log.publish(published.slice(0, 20), NEVER)).toEqual([]);
    expect(await log.publish(published.slice(20), NEVER)).toEqual([]);
    const arrived = await events();
    expect(arrived).toHaveLength(60);
    for (const url of new Set(published.map((event) => event.url))) {
      const of = (list: readonly WebpageEvent[]) => list.filter((event) => event.url === url);
      expect(of(arrived)).toEqual(of(published));
    }
  });

  it('knows what came after a position, and that nothing did', async () => {
    const { log } = await open();
    const [first, second, third] = someEvents(3);
    if (first === undefined || second === undefined || third === undefined) return expect.fail('events are missing');
    const beginning = await log.position();
    expect(await log.idsSince(beginning)).toEqual(new Set());
    await log.publish([first], NEVER);
    const middle = await log.position();
    await log.publish([second, third], NEVER);
    expect(await log.idsSince(middle)).toEqual(new Set([second.event_id, third.event_id]));
    expect((await log.idsSince(beginning)).size).toBe(3);
    expect(await log.idsSince(await log.position())).toEqual(new Set());
  });

  it('takes more at once than fits into one request', async () => {
    const { log, events } = await open();
    const beginning = await log.position();
    const large = Array.from(
      { length: 400 },
      (_, n) => somePage(`https://court.example/${n}/${'x'.repeat(8_000)}`).event,
    );
    expect(await log.publish(large, NEVER)).toEqual([]);
    expect((await log.idsSince(beginning)).size).toBe(400);
    expect(await events()).toHaveLength(400);
  });

  it('is ready, and can be closed twice', async () => {
    const { log } = await open();
    await log.check();
    await log.close();
    await log.close();
  });
}

describe('a file of lines', () => {
  const scratch = scratchDirectory();
  const path = () => scratch('events', 'webpage_log.jsonl');
  const linesOf = async () => (await readFile(path(), 'utf8')).split('\n').slice(0, -1);

  promises(async () => {
    const log = await JsonlEventLog.open(path());
    return { log, events: async () => (await linesOf()).map((line) => JSON.parse(line)) };
  });

  it('removes a line that was cut off by a crash before it writes the next', async () => {
    const log: EventLog = await JsonlEventLog.open(path());
    const [first, second] = [somePage().event, somePage().event];
    const beginning = await log.position();
    await log.publish([first], NEVER);
    await appendFile(path(), JSON.stringify(second).slice(0, 100));
    expect(await log.idsSince(beginning)).toEqual(new Set([first.event_id]));
    await log.publish([second], NEVER);
    expect((await linesOf()).map((line) => JSON.parse(line))).toEqual([first, second]);
  });
});

describe('a Kafka topic', async () => {
  const server = await kafkaOrSkip();

  function openTopic(topic = `log-${randomUUID()}`): LogAtTest {
    const log = new KafkaEventLog({ bootstrapServers: server, topic, clock: systemClock });
    onTestFinished(() => log.close());
    return { log, events: async () => (await readTopic(server, topic)).map(({ value }) => JSON.parse(value)) };
  }

  promises(async () => openTopic());

  it('keeps the key of a message at the sha256 of its URL', async () => {
    const topic = `log-${randomUUID()}`;
    const { event } = somePage();
    await openTopic(topic).log.publish([event], NEVER);
    expect((await readTopic(server, topic)).map(({ key }) => key)).toEqual([messageKeyOf(event.url)]);
  });

  it('refuses what is over the limit of the broker, and takes the others of the batch once', async () => {
    const topic = `log-${randomUUID()}`;
    const admin = new Admin({ clientId: 'curlew-test', bootstrapBrokers: [server] });
    onTestFinished(() => admin.close());
    await admin.createTopics({
      topics: [topic],
      partitions: 3,
      replicas: 1,
      configs: [{ name: 'max.message.bytes', value: '4000' }],
    });
    const { log, events } = openTopic(topic);
    const urls = Array.from({ length: 30 }, (_, n) => `https://court.example/${n}${n === 13 ? 'x'.repeat(5_000) : ''}`);
    const batch = urls.map((url) => somePage(url).event);
    expect(await log.publish(batch, NEVER)).toEqual([{ eventId: batch[13]?.event_id, reason: 'event_too_large' }]);
    const arrived = (await events()).map(({ event_id }) => event_id);
    expect(arrived.toSorted()).toEqual(
      batch
        .filter((_, n) => n !== 13)
        .map(({ event_id }) => event_id)
        .toSorted(),
    );
  });

  it('that cannot be reached is not ready, says so, and lets go when it is told to', async () => {
    const log = new KafkaEventLog({ bootstrapServers: '127.0.0.1:1', topic: 'log', clock: systemClock });
    const stop = new AbortController();
    const { event } = fetchedPage({
      url: 'http://a/',
      status: 200,
      contentType: 'a/b',
      body: Buffer.of(),
      fetchedAt: 0,
    });
    const publishing = log.publish([event], stop.signal);
    stop.abort(new Error('enough'));
    await expect(publishing).rejects.toMatchObject({
      code: 'service_unavailable',
      message: expect.stringContaining('enough'),
    });
    await expect(log.check()).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(log.position()).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scratchDirectory } from '../../test/fixtures/scratch-directory.ts';
import { messageOf } from '../platform/errors.ts';
import { FakeClock } from '../platform/fake-clock.ts';
import { openEmbeddedBackend } from './embedded/embedded-backend.ts';
import { JsonlEventLog } from './embedded/jsonl-event-log.ts';
import type { EventLog } from './event-log.ts';
import { OutboxPump, type OutboxPumpOptions } from './outbox-pump.ts';
import { fetchedPage } from './webpage-event.ts';

const scratch = scratchDirectory();
const NEVER = new AbortController().signal;

/** A ledger with `count` events in its outbox, and a pump to a file. `changes` stand in for parts of the log. */
async function setting(count: number, changes: Partial<EventLog> = {}, options: Partial<OutboxPumpOptions> = {}) {
  const clock = new FakeClock();
  const backend = openEmbeddedBackend(scratch(), { clock });
  onTestFinished(() => backend.close());
  const file = await JsonlEventLog.open(join(scratch(), 'log.jsonl'));
  const log: EventLog = {
    check: () => file.check(),
    position: () => file.position(),
    idsSince: (position) => file.idsSince(position),
    publish: (events) => file.publish(events),
    close: () => file.close(),
    ...changes,
  };
  for (let n = 0; n < count; n++) {
    const url = `https://court.example/${n}`;
    const page = fetchedPage({ url, status: 200, contentType: undefined, body: Buffer.of(n), fetchedAt: clock.now() });
    await backend.queue.enqueue([url]);
    const lease = await backend.queue.lease({ worker: 'w', leaseMs: 60_000 });
    if (lease !== undefined) await backend.queue.store(lease, page);
  }
  const pump = new OutboxPump({ outbox: backend.outbox, log, clock, name: 'p', cacheTtlMs: 60_000, ...options });
  return { clock, ...backend, file, pump, published: async () => (await file.idsSince('0')).size };
}

describe('a pump', () => {
  it('publishes all there is when it is stopped, and lets another take over at once', async () => {
    const { pump, outbox, published } = await setting(1_200);
    await pump.run(AbortSignal.abort(), NEVER);
    expect(await published()).toBe(1_200);
    expect(await outbox.size()).toBe(0);
    expect(await outbox.take({ pump: 'other', leaseMs: 1, limit: 1 })).toMatchObject({ kind: 'entries' });
  });

  it('does nothing after its deadline', async () => {
    const { pump, published } = await setting(3);
    await pump.run(AbortSignal.abort(), AbortSignal.abort());
    expect(await published()).toBe(0);
  });

  it('goes on by itself after trouble, which it tells', async () => {
    const troubles: unknown[] = [];
    let attempts = 0;
    const stop = new AbortController();
    const { pump, clock, published } = await setting(
      3,
      {
        async position() {
          if (++attempts < 4) throw new Error(`trouble ${attempts}`);
          return '0';
        },
      },
      { onTrouble: (part, error) => troubles.push(`${part}: ${messageOf(error)}`), onSettled: () => stop.abort() },
    );
    const running = pump.run(stop.signal, NEVER);
    while (attempts < 4) await clock.advance(100);
    await running;
    expect(troubles).toEqual(['log: trouble 1', 'log: trouble 2', 'log: trouble 3']);
    expect(await published()).toBe(3);
  });

  it('asks the log after an attempt that failed, and publishes only what did not arrive', async () => {
    let attempts = 0;
    const settled: number[] = [];
    const { pump, published, file } = await setting(
      5,
      {
        async publish(events) {
          await file.publish(++attempts === 1 ? events.slice(0, 2) : events);
          if (attempts === 1) throw new Error('the connection broke');
          return [];
        },
      },
      { onSettled: ({ published }) => settled.push(published) },
    );
    await expect(pump.turn(NEVER)).rejects.toThrow('the connection broke');
    await pump.run(AbortSignal.abort(), NEVER);
    expect(settled).toEqual([2, 3]);
    expect(await published()).toBe(5);
  });

  it('publishes again what a power cut has left with holes in the log', async () => {
    let attempts = 0;
    const { pump, file, outbox } = await setting(5, {
      async publish(events) {
        const refused = await file.publish(events);
        if (++attempts === 1) throw new Error('the power is cut');
        return refused;
      },
    });
    await expect(pump.turn(NEVER)).rejects.toThrow('the power is cut');
    const path = join(scratch(), 'log.jsonl');
    const log = await readFile(path);
    const second = log.indexOf('\n') + 1;
    // A page that was not synced is of zeros, and what comes behind it is there.
    await writeFile(path, log.fill(0, second + 10, log.indexOf('\n', second) + 20));
    await pump.run(AbortSignal.abort(), NEVER);
    const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
    const ids = lines.map((line) => JSON.parse(line).event_id);
    expect(new Set(ids).size).toBe(5);
    expect(ids.length).toBe(5);
    expect(await outbox.size()).toBe(0);
  });

  it('keeps its lease while the log is away, and says so', async () => {
    const troubles: unknown[] = [];
    const begun = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const { pump, clock, outbox } = await setting(
      1,
      {
        async publish() {
          begun.resolve();
          await arrived.promise;
          return [];
        },
      },
      { leaseMs: 9_000, onTrouble: (part, error) => troubles.push(`${part}: ${messageOf(error)}`) },
    );
    const turn = pump.turn(NEVER);
    await begun.promise;
    for (let second = 0; second < 30; second++) await clock.advance(1_000);
    expect(await outbox.take({ pump: 'other', leaseMs: 1, limit: 1 })).toEqual({ kind: 'busy' });
    expect(troubles).toContain('log: The event log has not taken 1 events for 30 s.');
    arrived.resolve();
    expect(await turn).toBe('settled');
  });

  it('stops publishing when another has taken its place', async () => {
    const begun = Promise.withResolvers<void>();
    const { pump, clock, outbox } = await setting(
      1,
      {
        publish: (_events, signal) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
            begun.resolve();
          }),
      },
      { leaseMs: 9_000 },
    );
    const turn = pump.turn(NEVER);
    const rejected = expect(turn).rejects.toThrow('Another pump took over');
    await begun.promise;
    // As if this process had been frozen, and its lease had ended meanwhile.
    await outbox.release('p');
    expect(await outbox.take({ pump: 'other', leaseMs: 60_000, limit: 1 })).toMatchObject({ kind: 'entries' });
    await clock.advance(3_000);
    await rejected;
  });

  it('makes a dead letter of what is refused', async () => {
    const { pump, deadLetters } = await setting(2, {
      publish: async (events) =>
        events.slice(0, 1).map(({ event_id }) => ({ eventId: event_id, reason: 'event_too_large' })),
    });
    await pump.run(AbortSignal.abort(), NEVER);
    expect(await Array.fromAsync(deadLetters.list())).toMatchObject([
      { url: 'https://court.example/0', reason: 'event_too_large', status: 200, attempts: 1 },
    ]);
  });
});

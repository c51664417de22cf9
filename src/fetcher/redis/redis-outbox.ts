// The outbox on Redis: a stream, so that entries keep their place, and a set of event ids, so that none is in it twice.
// A pump that dies between publishing and settling leaves the unsure position behind; the next one asks the log what arrived.
// A pump that was frozen in exactly that gap, past its lease, and then wakes may still publish: such an event is in the log
// twice, with the same event_id. Nothing short of transactions that every consumer must understand prevents that.

import { z } from 'zod';
import { deadLetter, deadLetterLine } from '../dead-letter.ts';
import type { Outbox, OutboxLevel, PublishingStart, Settlement, Taken, TakeRequest } from '../outbox.ts';
import { WebpageEvent } from '../webpage-event.ts';
import { pageBytes } from './page-bytes.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { RedisMemory } from './redis-memory.ts';
import type { RedisNames } from './redis-names.ts';
import { beginPublishingScript, outboxLevelScript, releaseScript, settleScript, takeScript } from './scripts/outbox.ts';

const TakeReply = z.tuple([z.string().nullable()], z.string()).nullable();
const LevelReply = z.tuple([z.number(), z.number()]);

export interface RedisOutboxOptions {
  readonly names: RedisNames;
  readonly memory: RedisMemory;
  readonly outboxLimit: number;
}

export class RedisOutbox implements Outbox {
  readonly #redis: RedisConnection;
  readonly #names: RedisNames;
  readonly #memory: RedisMemory;
  readonly #limit: number;

  constructor(redis: RedisConnection, { names, memory, outboxLimit }: RedisOutboxOptions) {
    this.#redis = redis;
    this.#names = names;
    this.#memory = memory;
    this.#limit = outboxLimit;
  }

  size(): Promise<number> {
    return this.#redis.run((client) => client.xLen(this.#names.outbox));
  }

  async level(): Promise<OutboxLevel> {
    const { outbox, outboxBytes } = this.#names;
    const reply = await this.#redis.script(outboxLevelScript, [outbox, outboxBytes], []);
    const [events, bytes] = LevelReply.parse(reply);
    return { events, mostEvents: this.#limit, bytes, room: await this.#memory.read(bytes) };
  }

  async take({ pump, leaseMs, limit }: TakeRequest): Promise<Taken> {
    const { pump: lease, outbox, unsure } = this.#names;
    const reply = TakeReply.parse(
      await this.#redis.script(takeScript, [lease, outbox, unsure], [pump, leaseMs, limit]),
    );
    if (reply === null) return { kind: 'busy' };
    const [position, ...rest] = reply;
    const entries = Array.from({ length: rest.length / 2 }, (_, index) => ({
      id: rest[2 * index] ?? '',
      event: WebpageEvent.parse(JSON.parse(rest[2 * index + 1] ?? '')),
    }));
    return { kind: 'entries', entries, unsureSince: position ?? undefined };
  }

  async beginPublishing({ pump, leaseMs, position }: PublishingStart): Promise<boolean> {
    const { pump: lease, unsure } = this.#names;
    return (await this.#redis.script(beginPublishingScript, [lease, unsure], [pump, leaseMs, position])) === 1;
  }

  async settle({ pump, published, refused, cacheTtlMs }: Settlement): Promise<boolean> {
    const { pump: lease, outbox, outboxIds, unsure, deadLetters, outboxBytes, outboxPages } = this.#names;
    const settled = [
      ...published.map((entry) => ({ entry, line: '' })),
      ...refused.map(({ entry, letter }) => ({ entry, line: deadLetterLine(deadLetter(letter)) })),
    ];
    const reply = await this.#redis.script(
      settleScript,
      [
        ...[lease, outbox, outboxIds, unsure, deadLetters, outboxBytes, outboxPages],
        ...settled.map(({ entry }) => entry.event.cache_key),
      ],
      [
        pump,
        cacheTtlMs,
        ...settled.flatMap(({ entry: { id, event }, line }) => [id, event.event_id, pageBytes(event), line]),
      ],
    );
    return reply === 1;
  }

  async release(pump: string): Promise<void> {
    await this.#redis.script(releaseScript, [this.#names.pump], [pump]);
  }
}

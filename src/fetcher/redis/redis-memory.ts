// What Redis says of its memory, and what follows for the pages that wait. Read again and again; between two readings the last
// one counts. Where Redis may not be asked (an ACL without INFO), a setting says how much memory it has.

import { z } from 'zod';
import { luaScript } from './lua-script.ts';
import { type MemoryBudget, type MemoryReading, memoryBudget } from './memory-budget.ts';
import type { RedisConnection } from './redis-connection.ts';
import { RedisRefusal } from './redis-refusal.ts';

/** Where nobody says how much memory Redis has. */
const UNKNOWN_CEILING_BYTES = 128 * 1024 * 1024;
/** Below this share of the ceiling nothing is evicted for long, and it need not be known what could be. */
const SAMPLE_FROM = 0.5;
const SAMPLES = 64;
/** Weight of the newest samples. */
const NEWEST = 0.3;

/**
 * ARGV: 1 how many keys to look at.
 * Returns the bytes that all keys with a time to live take, about.
 */
const sampleEvictableScript = luaScript(`
local bytes = 0
for _ = 1, tonumber(ARGV[1]) do
  local key = redis.call('RANDOMKEY')
  if key and redis.call('PTTL', key) > 0 then bytes = bytes + (redis.call('MEMORY', 'USAGE', key) or 0) end
end
return math.floor(bytes / ARGV[1] * redis.call('DBSIZE'))
`);

export interface RedisMemoryOptions {
  /** Share of Redis' memory for pages that wait to be published. */
  readonly share: number;
  /** How much memory Redis may use, where it does not say itself. */
  readonly ceilingBytes: number | undefined;
}

export class RedisMemory {
  readonly #redis: RedisConnection;
  readonly #options: RedisMemoryOptions;
  #evictableBytes: number | undefined;
  #budget: MemoryBudget | undefined;

  constructor(redis: RedisConnection, options: RedisMemoryOptions) {
    this.#redis = redis;
    this.#options = options;
  }

  /** What was found last. Asks Redis if it was never asked. */
  async last(): Promise<MemoryBudget> {
    return this.#budget ?? this.read(0);
  }

  async read(outboxBytes: number): Promise<MemoryBudget> {
    this.#budget = memoryBudget(await this.#reading(outboxBytes), outboxBytes, this.#options.share);
    return this.#budget;
  }

  async #reading(outboxBytes: number): Promise<MemoryReading> {
    const { ceilingBytes } = this.#options;
    const said = await orRefused(this.#redis.run((client) => client.info('memory')));
    if (said === undefined) {
      const assumed = ceilingBytes ?? UNKNOWN_CEILING_BYTES;
      const unknown = { policy: 'unknown', evictableBytes: 0, isLimited: true };
      return { ...unknown, usedBytes: outboxBytes, ceilingBytes: assumed };
    }
    const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(said)?.[1] ?? '';
    const maxmemory = Number(field('maxmemory'));
    const isLimited = maxmemory > 0;
    const ceiling = isLimited
      ? maxmemory
      : (ceilingBytes ?? (Number(field('total_system_memory')) || UNKNOWN_CEILING_BYTES));
    const reading = {
      usedBytes: Number(field('used_memory')),
      ceilingBytes: ceiling,
      policy: field('maxmemory_policy'),
      isLimited,
    };
    return { ...reading, evictableBytes: await this.#evictable(reading) };
  }

  async #evictable({
    usedBytes,
    ceilingBytes,
    policy,
    isLimited,
  }: Omit<MemoryReading, 'evictableBytes'>): Promise<number> {
    if (!isLimited || !policy.startsWith('volatile-') || usedBytes < SAMPLE_FROM * ceilingBytes) return 0;
    const sampled = await orRefused(this.#redis.script(sampleEvictableScript, [], [SAMPLES]));
    if (sampled === undefined) return 0;
    const newest = z.number().parse(sampled);
    const before = this.#evictableBytes ?? newest;
    this.#evictableBytes = Math.min(usedBytes, before + NEWEST * (newest - before));
    return this.#evictableBytes;
  }
}

/** Undefined when Redis answers, but does not allow it. */
async function orRefused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RedisRefusal) return undefined;
    throw error;
  }
}

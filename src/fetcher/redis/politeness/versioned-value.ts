// A value in Redis that many change: each reads it, decides, and writes only if nobody else has written since. The
// decision stays in TypeScript, where it is tested; the time comes from Redis.

import { z } from 'zod';
import type { Reading } from '../../../fetch/politeness/shared-value.ts';
import { luaScript } from '../lua-script.ts';
import { KEEP_FUNCTIONS } from './kept-key.ts';
import type { RedisLink } from './redis-link.ts';

// KEYS  1 value
// gives { the value or false, now }
const READ = luaScript(`
return { redis.call('GET', KEYS[1]), now_ms }
`);

// KEYS  1 value
// ARGV  1 what it was ('' for none), 2 what it shall be, 3 how long it is kept at least, in ms
// gives { the value that is there now, now }
const REPLACE = luaScript(`${KEEP_FUNCTIONS}
local current = redis.call('GET', KEYS[1])
if (current or '') == ARGV[1] then
  keep(KEYS[1], ARGV[2], ARGV[3])
  current = ARGV[2]
end
return { current, now_ms }
`);

// KEYS  1 value
// ARGV  1 what it shall be, 2 how long it is kept at most, in ms
const WRITE = luaScript(`
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
`);

const Reply = z.tuple([z.string().nullable(), z.number()]);

export async function readValue(link: RedisLink, key: string): Promise<Reading> {
  return readingOf(await link.script(READ, [key], []));
}

/** Gives what is there afterwards: `next`, if nobody had written since `last` was read. No two writers may write the same. */
export async function replaceValue(
  link: RedisLink,
  key: string,
  last: string | undefined,
  next: string,
  keptMs: number,
): Promise<Reading> {
  return readingOf(await link.script(REPLACE, [key], [last ?? '', next, keptMs]));
}

/** Whatever was there before. For what can be had again: a Redis that is full may evict it. */
export async function writeValue(link: RedisLink, key: string, next: string, keptMs: number): Promise<void> {
  await link.script(WRITE, [key], [next, keptMs]);
}

function readingOf(reply: unknown): Reading {
  const [text, now] = Reply.parse(reply);
  return { text: text ?? undefined, now };
}

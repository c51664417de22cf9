// Whether Redis takes all that a worker has to do, at this moment. Redis may answer and yet refuse: it is full, a replica, or
// does not allow it. So it is tried, with every key and every command, on keys of its own that are gone afterwards.

import { growingLuaScript } from './lua-script.ts';
import { bucketKey } from './politeness/bucket-script.ts';
import { KEPT_KEYS } from './politeness/kept-key.ts';
import { robotsKeys } from './politeness/redis-robots-store.ts';
import { breakerKey } from './politeness/redis-value.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { RedisNames } from './redis-names.ts';

/** Changes nothing. Refused by a Redis that takes no changes, or does not allow one of its keys. */
const quickScript = growingLuaScript('return 1');

/**
 * KEYS: 1 a key of its own, and all others that a worker uses.
 * ARGV: 1 time to live in ms of what would be left by an error half way, 2… types of the keys from the second on, as many as
 *       are known.
 */
const thoroughScript = growingLuaScript(`
for i = 2, #ARGV do
  local type = redis.call('TYPE', KEYS[i]).ok
  if type ~= 'none' and not string.find(' ' .. ARGV[i] .. ' ', ' ' .. type .. ' ', 1, true) then
    return redis.error_reply('WRONGTYPE ' .. KEYS[i] .. ' is a ' .. type .. ', not a ' .. ARGV[i])
  end
end
local function try(...)
  redis.call('DEL', KEYS[1])
  for _, command in ipairs({ ... }) do redis.call(command[1], KEYS[1], unpack(command, 2)) end
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  redis.call('PTTL', KEYS[1])
end
try({ 'SET', '1', 'PX', ARGV[1] }, { 'GET' }, { 'INCRBY', 1 }, { 'INCR' }, { 'DECRBY', 1 }, { 'TYPE' })
try({ 'RPUSH', 'a' }, { 'LPUSH', 'b' }, { 'LLEN' }, { 'LINDEX', 0 }, { 'RENAME', KEYS[1] }, { 'EXISTS' }, { 'LRANGE', 0, 0 }, { 'LREM', 0, 'c' }, { 'LPOP' }, { 'RPOP' })
try({ 'HSET', 'a', 1 }, { 'HGET', 'a' }, { 'HMGET', 'a' }, { 'HEXISTS', 'a' }, { 'HINCRBY', 'a', 1 }, { 'HDEL', 'b' })
try({ 'ZADD', 1, 'a' }, { 'ZSCORE', 'a' }, { 'ZRANGE', 0, 0 }, { 'ZRANGEBYSCORE', 0, 1 }, { 'ZCARD' }, { 'ZREM', 'b' }, { 'ZREMRANGEBYSCORE', 5, 5 })
try({ 'SADD', 'a' }, { 'SREM', 'b' })
try({ 'XADD', '*', 'a', 'b' }, { 'XLEN' }, { 'XRANGE', '-', '+', 'COUNT', 1 }, { 'XDEL', '0-1' })
redis.call('DEL', KEYS[1])
return 1
`);

const TYPES: Readonly<Record<Exclude<keyof RedisNames, 'lanePrefix' | 'processingPrefix'>, string>> = {
  queue: 'list',
  deadLetters: 'list',
  incoming: 'list',
  places: 'string',
  lanes: 'zset',
  deadlines: 'zset',
  tokens: 'string',
  labelledHosts: 'zset',
  outbox: 'stream',
  outboxIds: 'set',
  outboxBytes: 'string',
  outboxPages: 'hash',
  // Text in a version before this one.
  pump: 'hash or string',
  unsure: 'string',
};

const LEFT_OVER_MS = 1_000;
/** No host has this name. */
const NO_HOST = 'curlew.invalid';

export class RedisHealth {
  readonly #redis: RedisConnection;
  readonly #keys: readonly string[];
  readonly #types: readonly string[];

  constructor(redis: RedisConnection, names: RedisNames) {
    this.#redis = redis;
    const { lanePrefix, processingPrefix, ...named } = names;
    const ofName = Object.entries(TYPES).map(([name, type]) => [named[name as keyof typeof TYPES], type] as const);
    const ofHost = [KEPT_KEYS, bucketKey(NO_HOST), breakerKey(NO_HOST), ...robotsKeys(`https://${NO_HOST}`)];
    const others = [`${lanePrefix}${NO_HOST}`, `${processingPrefix}${NO_HOST}`, `webpage:${NO_HOST}`];
    this.#keys = [`${names.queue}:check`, ...ofName.map(([key]) => key), ...others, ...ofHost];
    this.#types = ofName.map(([, type]) => type);
  }

  /** Rejects with the reason when Redis cannot be worked with. */
  async check(how: 'quick' | 'thorough'): Promise<void> {
    if (how === 'quick') await this.#redis.script(quickScript, this.#keys, []);
    else await this.#redis.script(thoroughScript, this.#keys, [LEFT_OVER_MS, ...this.#types]);
  }
}

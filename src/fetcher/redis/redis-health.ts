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
 * ARGV: 1 time to live in ms of what would be left by an error half way.
 */
const thoroughScript = growingLuaScript(`
local function try(...)
  redis.call('DEL', KEYS[1])
  for _, command in ipairs({ ... }) do redis.call(command[1], KEYS[1], unpack(command, 2)) end
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  redis.call('PTTL', KEYS[1])
end
try({ 'SET', '1', 'PX', ARGV[1] }, { 'GET' }, { 'INCRBY', 1 }, { 'INCR' }, { 'DECRBY', 1 }, { 'TYPE' })
try({ 'RPUSH', 'a' }, { 'LPUSH', 'b' }, { 'LLEN' }, { 'LINDEX', 0 }, { 'RENAME', KEYS[1] }, { 'EXISTS' }, { 'LRANGE', 0, 0 }, { 'LPOP' }, { 'RPOP' })
try({ 'HSET', 'a', 1 }, { 'HGET', 'a' }, { 'HMGET', 'a' }, { 'HEXISTS', 'a' }, { 'HINCRBY', 'a', 1 }, { 'HDEL', 'b' })
try({ 'ZADD', 1, 'a' }, { 'ZSCORE', 'a' }, { 'ZRANGE', 0, 0 }, { 'ZRANGEBYSCORE', 0, 1 }, { 'ZCARD' }, { 'ZREM', 'b' }, { 'ZREMRANGEBYSCORE', 5, 5 })
try({ 'SADD', 'a' }, { 'SREM', 'b' })
try({ 'XADD', '*', 'a', 'b' }, { 'XLEN' }, { 'XRANGE', '-', '+', 'COUNT', 1 }, { 'XDEL', '0-1' })
redis.call('DEL', KEYS[1])
return 1
`);

const LEFT_OVER_MS = 1_000;
/** No host has this name. */
const NO_HOST = 'curlew.invalid';

export class RedisHealth {
  readonly #redis: RedisConnection;
  readonly #keys: readonly string[];

  constructor(redis: RedisConnection, names: RedisNames) {
    this.#redis = redis;
    const { lanePrefix, processingPrefix, ...lists } = names;
    const ofHost = [KEPT_KEYS, bucketKey(NO_HOST), breakerKey(NO_HOST), ...robotsKeys(`https://${NO_HOST}`)];
    const others = [`${lanePrefix}${NO_HOST}`, `${processingPrefix}${NO_HOST}`, `webpage:${NO_HOST}`];
    this.#keys = [`${names.queue}:check`, ...Object.values(lists), ...others, ...ofHost];
  }

  /** Rejects with the reason when Redis cannot be worked with. */
  async check(how: 'quick' | 'thorough'): Promise<void> {
    await this.#redis.script(how === 'quick' ? quickScript : thoroughScript, this.#keys, [LEFT_OVER_MS]);
  }
}

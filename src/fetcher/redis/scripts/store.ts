// Ends a lease with a page: cache, outbox and queue change together or not at all, so that event and cache cannot disagree.

import { growingLuaScript, luaScript } from '../lua-script.ts';

/**
 * The content gets its time to live when its event is published. A page may be larger than the limit if nothing else waits:
 * else it could never be stored.
 *
 * KEYS: 1 processing hash of the worker, 2 deadlines, 3 cache key, 4 outbox, 5 ids in the outbox, 6 bytes in the outbox,
 *       7 events by cache key.
 * ARGV: 1 token, 2 worker, 3 content, 4 event as JSON, 5 event id, 6 most events in the outbox, 7 bytes that the page takes,
 *       8 most bytes in the outbox.
 * Returns `stored`, `lost` or `outbox_full`.
 */
const STORE = `
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 'lost' end
local events = redis.call('XLEN', KEYS[4])
local bytes = tonumber(redis.call('GET', KEYS[6]) or 0)
if events >= tonumber(ARGV[6]) then return 'outbox_full' end
if events > 0 and bytes + ARGV[7] > tonumber(ARGV[8]) then return 'outbox_full' end
redis.call('SET', KEYS[3], ARGV[3])
if redis.call('SADD', KEYS[5], ARGV[5]) == 1 then
  redis.call('XADD', KEYS[4], '*', 'event', ARGV[4])
  redis.call('INCRBY', KEYS[6], ARGV[7])
  redis.call('HINCRBY', KEYS[7], KEYS[3], 1)
end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1] .. ' ' .. ARGV[2])
return 'stored'
`;

/** Refused by a Redis that is full. */
export const storeScript = growingLuaScript(STORE);

/** For a Redis that is full of what only fetching can take away, such as the queue. Its limit must be small. */
export const storeWhenFullScript = luaScript(STORE);

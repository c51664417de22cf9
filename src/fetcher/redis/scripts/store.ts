// Ends a lease with a page: cache, outbox and queue change together or not at all, so that event and cache cannot disagree.

import { luaScript } from '../lua-script.ts';

/**
 * The content gets its time to live when its event is published.
 *
 * KEYS: 1 processing hash of the worker, 2 deadlines, 3 cache key, 4 outbox, 5 ids in the outbox.
 * ARGV: 1 token, 2 worker, 3 content, 4 event as JSON, 5 event id, 6 most events in the outbox.
 * Returns `stored`, `lost` or `outbox_full`.
 */
export const storeScript = luaScript(`
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 'lost' end
if redis.call('XLEN', KEYS[4]) >= tonumber(ARGV[6]) then return 'outbox_full' end
redis.call('SET', KEYS[3], ARGV[3])
if redis.call('SADD', KEYS[5], ARGV[5]) == 1 then redis.call('XADD', KEYS[4], '*', 'event', ARGV[4]) end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1] .. ' ' .. ARGV[2])
return 'stored'
`);

// Ends a lease without a page.

import { luaScript } from '../lua-script.ts';
import { PLACE } from './queue-places.ts';

/**
 * KEYS: 1 processing hash of the worker, 2 deadlines, 3 list that gets something, 4 lanes, 5 queue, 6 places.
 * ARGV: 1 token, 2 worker, 3 what list 3 gets: `nothing`, `item` or `line`, 4 the line, 5 the host if list 3 is its lane.
 * Returns 1, or 0 if the lease is lost.
 */
export const endLeaseScript = luaScript(`
local item = redis.call('HGET', KEYS[1], ARGV[1])
if not item then return 0 end
if ARGV[3] == 'item' then redis.call('RPUSH', KEYS[3], item) end
if ARGV[3] == 'line' then redis.call('RPUSH', KEYS[3], ARGV[4]) end
if ARGV[5] ~= '' then
  redis.call('ZADD', KEYS[4], 'NX', 0, ARGV[5])
  redis.call('LPUSH', KEYS[5], '${PLACE}')
  redis.call('INCR', KEYS[6])
end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('ZREM', KEYS[2], ARGV[1] .. ' ' .. ARGV[2])
return 1
`);

// Counts the queue as one moment had it.

import { luaScript } from '../lua-script.ts';

/**
 * KEYS: 1 queue, 2 lanes, 3 deadlines.
 * ARGV: 1 prefix of lanes.
 * Returns { waiting, leased }.
 */
export const queueSizeScript = luaScript(`
local waiting = redis.call('LLEN', KEYS[1])
for _, host in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  waiting = waiting + redis.call('LLEN', ARGV[1] .. host)
end
return { waiting, redis.call('ZCARD', KEYS[3]) }
`);

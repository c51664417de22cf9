// Counts the queue as one moment had it.

import { luaScript } from '../lua-script.ts';
import { PLACES_FUNCTIONS } from './queue-places.ts';

/**
 * KEYS: 1 queue, 2 lanes, 3 deadlines, 4 incoming, 5 places.
 * ARGV: 1 prefix of lanes.
 * Returns { waiting, leased }.
 */
export const queueSizeScript = luaScript(`
local queue, lanes, incoming, places = KEYS[1], KEYS[2], KEYS[4], KEYS[5]
local lane_prefix = ARGV[1]
${PLACES_FUNCTIONS}
count()
return { redis.call('LLEN', queue), redis.call('ZCARD', KEYS[3]) }
`);

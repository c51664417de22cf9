// Gives leases more time.

import { luaScript } from '../lua-script.ts';

/**
 * KEYS: 1 deadlines.
 * ARGV: 1 duration in ms, 2… leases, as `token worker`.
 * Returns for each lease 1, or 0 if it is lost.
 */
export const extendScript = luaScript(`
local held = {}
for i = 2, #ARGV do
  held[i - 1] = redis.call('ZSCORE', KEYS[1], ARGV[i]) and 1 or 0
  if held[i - 1] == 1 then redis.call('ZADD', KEYS[1], now_ms + ARGV[1], ARGV[i]) end
end
return held
`);

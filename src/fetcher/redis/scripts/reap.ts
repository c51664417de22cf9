// Returns what workers that are gone have left.

import { luaScript } from '../lua-script.ts';

/**
 * Needs `now_ms`. Takes the queue, the deadlines, the prefix of processing hashes, and how many at most. An item goes to the end
 * of the queue: one that kills every worker that touches it must not come first each time.
 */
export const REAP_FUNCTION = `
local function reap(queue, deadlines, processing, most)
  local ended = redis.call('ZRANGEBYSCORE', deadlines, '-inf', now_ms, 'LIMIT', 0, most)
  for _, lease in ipairs(ended) do
    local token, worker = string.match(lease, '^(%S+) (.*)$')
    local item = redis.call('HGET', processing .. worker, token)
    if item then redis.call('RPUSH', queue, item) end
    redis.call('HDEL', processing .. worker, token)
    redis.call('ZREM', deadlines, lease)
  end
  return #ended
end
`;

/**
 * KEYS: 1 queue, 2 deadlines.
 * ARGV: 1 prefix of processing hashes, 2 how many at most.
 * Returns how many were returned.
 */
export const reapScript = luaScript(`${REAP_FUNCTION}
return reap(KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]))
`);

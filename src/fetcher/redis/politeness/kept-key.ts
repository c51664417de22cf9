// Keys that the politeness of a fleet rests on. They have no time to live of Redis' own: a Redis that is full evicts keys that
// have one, the shortest first. Instead a sorted set notes until when each is of use, and every write removes two that are not.

/** Sorted set of keys, by when they may be removed. */
export const KEPT_KEYS = 'page_fetcher:kept_keys';

/**
 * Needs `now_ms`. `keep(key, value, ms)` writes the value for so long at least. `still(key)`: whether what was written is meant
 * to be there still; it may be there for longer. `drop(key)` removes it.
 */
export const KEEP_FUNCTIONS = `
local function keep(key, value, ms)
  redis.call('SET', key, value)
  redis.call('ZADD', '${KEPT_KEYS}', math.ceil(now_ms + ms), key)
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', '${KEPT_KEYS}', '-inf', now_ms, 'LIMIT', 0, 2)) do
    redis.call('DEL', old)
    redis.call('ZREM', '${KEPT_KEYS}', old)
  end
end

-- One that a version before this one wrote is not in the set, and expires by itself.
local function still(key)
  local untilMs = redis.call('ZSCORE', '${KEPT_KEYS}', key)
  return not untilMs or tonumber(untilMs) > now_ms
end

local function drop(key)
  redis.call('DEL', key)
  redis.call('ZREM', '${KEPT_KEYS}', key)
end
`;

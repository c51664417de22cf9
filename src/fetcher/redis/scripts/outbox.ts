// The steps of a pump. Each checks that the pump still has the lease. The lease is a hash with a deadline by Redis' clock and no
// time to live: Redis evicts what has one when it is full, and a second pump would publish beside the first.

import { luaScript } from '../lua-script.ts';

/** `holds(key, pump)`: whether the pump has the lease. A version before this one kept it as text that expires by itself. */
const HOLDS = `
local function holds(key, pump)
  if redis.call('TYPE', key).ok ~= 'hash' then return false end
  local lease = redis.call('HMGET', key, 'pump', 'until')
  return lease[1] == pump and tonumber(lease[2]) > now_ms
end
`;

/**
 * KEYS: 1 lease of the pump, 2 outbox, 3 unsure position.
 * ARGV: 1 pump, 2 duration in ms, 3 how many at most.
 * Returns false when another pump has the lease, else { unsure position or false, id, event, id, event, … }.
 */
export const takeScript = luaScript(`
-- That of a version before this one, which expires by itself.
if redis.call('TYPE', KEYS[1]).ok == 'string' then return false end
local lease = redis.call('HMGET', KEYS[1], 'pump', 'until')
if lease[1] and lease[1] ~= ARGV[1] and tonumber(lease[2]) > now_ms then return false end
redis.call('HSET', KEYS[1], 'pump', ARGV[1], 'until', now_ms + ARGV[2])
local taken = { redis.call('GET', KEYS[3]) }
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', ARGV[3])) do
  table.insert(taken, entry[1])
  table.insert(taken, entry[2][2])
end
return taken
`);

/**
 * KEYS: 1 lease of the pump, 2 unsure position.
 * ARGV: 1 pump, 2 duration in ms, 3 position.
 * Returns 1, or 0 if the lease is lost.
 */
export const beginPublishingScript = luaScript(`${HOLDS}
if not holds(KEYS[1], ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'until', now_ms + ARGV[2])
redis.call('SET', KEYS[2], ARGV[3])
return 1
`);

/**
 * Content whose event is published gets its time to live, unless another event of it still waits.
 *
 * KEYS: 1 lease of the pump, 2 outbox, 3 ids in the outbox, 4 unsure position, 5 dead letters, 6 bytes in the outbox,
 *       7 events by cache key, 8… cache keys of the entries.
 * ARGV: 1 pump, 2 time to live in ms, 3… for each entry its id, its event id, its bytes, and its line among the dead letters
 *       or ''.
 * Returns 1, or 0 if the lease is lost.
 */
export const settleScript = luaScript(`${HOLDS}
if not holds(KEYS[1], ARGV[1]) then return 0 end
local bytes = 0
for i = 8, #KEYS do
  local at = 3 + (i - 8) * 4
  -- What is not there any more was settled before, by a call whose answer was lost.
  if redis.call('XDEL', KEYS[2], ARGV[at]) == 1 then
    redis.call('SREM', KEYS[3], ARGV[at + 1])
    bytes = bytes + ARGV[at + 2]
    if redis.call('HINCRBY', KEYS[7], KEYS[i], -1) <= 0 then
      redis.call('HDEL', KEYS[7], KEYS[i])
      redis.call('PEXPIRE', KEYS[i], ARGV[2])
    end
    if ARGV[at + 3] ~= '' then redis.call('RPUSH', KEYS[5], ARGV[at + 3]) end
  end
end
local left = tonumber(redis.call('GET', KEYS[6]) or 0) - bytes
-- Entries of a version that did not count are not in the sum.
if redis.call('XLEN', KEYS[2]) == 0 or left <= 0 then
  redis.call('DEL', KEYS[6])
else
  redis.call('SET', KEYS[6], string.format('%.0f', left))
end
redis.call('DEL', KEYS[4])
return 1
`);

/**
 * KEYS: 1 outbox, 2 bytes in the outbox.
 * Returns { events, bytes }.
 */
export const outboxLevelScript = luaScript(`
return { redis.call('XLEN', KEYS[1]), tonumber(redis.call('GET', KEYS[2]) or 0) }
`);

/**
 * KEYS: 1 lease of the pump.
 * ARGV: 1 pump.
 */
export const releaseScript = luaScript(`${HOLDS}
if holds(KEYS[1], ARGV[1]) then redis.call('DEL', KEYS[1]) end
`);

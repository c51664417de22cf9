// The steps of a pump. Each checks that the pump still has the lease.

import { luaScript } from '../lua-script.ts';

/**
 * KEYS: 1 lease of the pump, 2 outbox, 3 unsure position.
 * ARGV: 1 pump, 2 duration in ms, 3 how many at most.
 * Returns false when another pump has the lease, else { unsure position or false, id, event, id, event, … }.
 */
export const takeScript = luaScript(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return false end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
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
export const beginPublishingScript = luaScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], ARGV[3])
return 1
`);

/**
 * KEYS: 1 lease of the pump, 2 outbox, 3 ids in the outbox, 4 unsure position, 5 dead letters, 6… cache keys of the entries.
 * ARGV: 1 pump, 2 time to live in ms, 3… for each entry its id, its event id, and its line among the dead letters or ''.
 * Returns 1, or 0 if the lease is lost.
 */
export const settleScript = luaScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
for i = 6, #KEYS do
  local at = 3 + (i - 6) * 3
  -- What is not there any more was settled before, by a call whose answer was lost.
  if redis.call('XDEL', KEYS[2], ARGV[at]) == 1 then
    redis.call('SREM', KEYS[3], ARGV[at + 1])
    redis.call('PEXPIRE', KEYS[i], ARGV[2])
    if ARGV[at + 2] ~= '' then redis.call('RPUSH', KEYS[5], ARGV[at + 2]) end
  end
end
redis.call('DEL', KEYS[4])
return 1
`);

/**
 * KEYS: 1 lease of the pump.
 * ARGV: 1 pump.
 */
export const releaseScript = luaScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
`);

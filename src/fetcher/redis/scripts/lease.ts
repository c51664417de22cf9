// Hands out the next item.

import { luaScript } from '../lua-script.ts';
import { PLACES_FUNCTIONS } from './queue-places.ts';
import { REAP_FUNCTION } from './reap.ts';

/**
 * Lanes come first, since what is in them is older; among lanes the one that was served longest ago. Items of hosts that are not
 * wanted move to their host's lane, so that each is looked at once however long the host stays away. As many entries stay in the
 * queue as items wait.
 *
 * KEYS: 1 queue, 2 lanes, 3 deadlines, 4 tokens, 5 incoming, 6 places.
 * ARGV: 1 worker, 2 duration in ms, 3 prefix of lanes, 4 prefix of processing hashes, 5… hosts that are not wanted.
 * Returns { 'leased', token, item }, { 'more' } when not everything has been looked at, or { 'none' }.
 */
export const leaseScript = luaScript(`
local queue, lanes, incoming, places = KEYS[1], KEYS[2], KEYS[5], KEYS[6]
local worker, lane_prefix = ARGV[1], ARGV[3]
${PLACES_FUNCTIONS}${REAP_FUNCTION}
local unwanted = {}
for i = 5, #ARGV do unwanted[ARGV[i]] = true end

-- As URL.host, for all but odd spellings; those are put right by the caller.
local function host_of(item)
  local authority = string.match(string.sub(item, 1, 300), '^[hH][tT][tT][pP][sS]?://([^/?#]*)')
  return authority and string.lower(string.match(authority, '[^@]*$'))
end

local function from_lanes(token)
  local first = 0
  while true do
    local hosts = redis.call('ZRANGE', lanes, first, first + 63)
    for _, host in ipairs(hosts) do
      if not unwanted[host] then
        local item = redis.call('LPOP', lane_prefix .. host)
        if redis.call('LLEN', lane_prefix .. host) == 0 then
          redis.call('ZREM', lanes, host)
        else
          redis.call('ZADD', lanes, token, host)
        end
        return item
      end
    end
    if #hosts < 64 then return false end
    first = first + 64
  end
end

local function from_incoming()
  for _ = 1, 1000 do
    local item = redis.call('LPOP', incoming)
    if not item then return false end
    local host = host_of(item)
    if not host or not unwanted[host] then return item end
    redis.call('RPUSH', lane_prefix .. host, item)
    redis.call('ZADD', lanes, 'NX', 0, host)
  end
  return false
end

reap(queue, KEYS[3], ARGV[4], 100)
accept()
local number = redis.call('INCR', KEYS[4])
local item = from_lanes(number) or from_incoming()
if not item then
  local sorted = redis.call('EXISTS', incoming) == 0 and redis.call('LLEN', queue) == tonumber(redis.call('GET', places) or 0)
  return { sorted and 'none' or 'more' }
end
take_place()
-- With the time, so that a token is not given twice even by a Redis that lost its counter.
local token = string.format('%.0f-%.0f', now_ms, number)
redis.call('HSET', ARGV[4] .. worker, token, item)
redis.call('ZADD', KEYS[3], now_ms + ARGV[2], token .. ' ' .. worker)
return { 'leased', token, item }
`);

// Hands out the next item.

import { luaScript } from '../lua-script.ts';
import { REAP_FUNCTION } from './reap.ts';

/**
 * Lanes come before the queue, since what is in them is older; among lanes the one that was served longest ago. Items of hosts
 * that are not wanted move from the queue to their host's lane, so that each is looked at once however long the host stays away.
 *
 * KEYS: 1 queue, 2 lanes, 3 deadlines, 4 tokens.
 * ARGV: 1 worker, 2 duration in ms, 3 prefix of lanes, 4 prefix of processing hashes, 5… hosts that are not wanted.
 * Returns { 'leased', token, item }, { 'more' } when the queue has not been looked at to its end, or { 'none' }.
 */
export const leaseScript = luaScript(`${REAP_FUNCTION}
local worker, lanes = ARGV[1], ARGV[3]
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
    local hosts = redis.call('ZRANGE', KEYS[2], first, first + 63)
    for _, host in ipairs(hosts) do
      if not unwanted[host] then
        local item = redis.call('LPOP', lanes .. host)
        if redis.call('LLEN', lanes .. host) == 0 then
          redis.call('ZREM', KEYS[2], host)
        else
          redis.call('ZADD', KEYS[2], token, host)
        end
        return item
      end
    end
    if #hosts < 64 then return false end
    first = first + 64
  end
end

local function from_queue()
  for _ = 1, 1000 do
    local item = redis.call('LPOP', KEYS[1])
    if not item then return false end
    local host = host_of(item)
    if not host or not unwanted[host] then return item end
    redis.call('RPUSH', lanes .. host, item)
    redis.call('ZADD', KEYS[2], 'NX', 0, host)
  end
  return false
end

reap(KEYS[1], KEYS[3], ARGV[4], 100)
local number = redis.call('INCR', KEYS[4])
local item = from_lanes(number) or from_queue()
if not item then return { redis.call('LLEN', KEYS[1]) > 0 and 'more' or 'none' } end
-- With the time, so that a token is not given twice even by a Redis that lost its counter.
local token = string.format('%.0f-%.0f', now_ms, number)
redis.call('HSET', ARGV[4] .. worker, token, item)
redis.call('ZADD', KEYS[3], now_ms + ARGV[2], token .. ' ' .. worker)
return { 'leased', token, item }
`);

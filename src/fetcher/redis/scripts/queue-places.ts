// The queue keeps one entry for every URL that waits, so that its length is what others take it for. URLs that were sorted by
// host, or are about to be, are kept elsewhere: in the queue a place stands for each of them. Places come first in the list, and
// behind them what was pushed since.

/** What stands in the queue for a URL that is kept elsewhere. Never a URL itself. */
export const PLACE = '(in a lane)';

/**
 * Functions over `queue`, `lanes`, `incoming` and `places`, which are names of keys, and `lane_prefix`:
 * - `recount()` puts right what somebody else has made of the places: as many as items are kept elsewhere, all in front.
 * - `count()` gives how many places there are, and makes those that are missing.
 * - `set_count(n)`
 * - `push_places(n)` puts as many into the front of the queue.
 * - `accept()` takes what was pushed into `incoming`, if that is empty, and leaves places for it.
 * - `take_place()` removes one place, for a URL that was taken.
 */
export const PLACES_FUNCTIONS = `
local PLACE = '${PLACE}'

local function set_count(n)
  if n > 0 then redis.call('SET', places, n) else redis.call('DEL', places) end
end

local function push_places(n)
  while n > 0 do
    local some = {}
    for i = 1, math.min(n, 1000) do some[i] = PLACE end
    redis.call('LPUSH', queue, unpack(some))
    n = n - #some
  end
end

local function recount()
  redis.call('LREM', queue, 0, PLACE)
  local n = redis.call('LLEN', incoming)
  for _, host in ipairs(redis.call('ZRANGE', lanes, 0, -1)) do n = n + redis.call('LLEN', lane_prefix .. host) end
  push_places(n)
  set_count(n)
  return n
end

local function count()
  local n = tonumber(redis.call('GET', places))
  -- A version before this one had lanes, and no places for what was in them.
  if not n then return recount() end
  local length = redis.call('LLEN', queue)
  if length > n then return n end
  -- Somebody has taken places away. What they stand for still waits, and so does what was pushed since.
  local is_whole = length == n and redis.call('LINDEX', queue, 0) == PLACE and redis.call('LINDEX', queue, -1) == PLACE
  return is_whole and n or recount()
end

local function accept()
  local n = count()
  local length = redis.call('LLEN', queue)
  if n == 0 and length > 0 and redis.call('EXISTS', incoming) == 0 then
    redis.call('RENAME', queue, incoming)
    push_places(length)
    set_count(length)
    return
  end
  -- What others have pushed to the front is next.
  local urgent = {}
  while n > 0 and length - #urgent > n and #urgent < 1000 and redis.call('LINDEX', queue, 0) ~= PLACE do
    urgent[#urgent + 1] = redis.call('LPOP', queue)
  end
  for i = #urgent, 1, -1 do redis.call('LPUSH', incoming, urgent[i]) end
  push_places(#urgent)
  n = n + #urgent
  if #urgent == 0 and redis.call('EXISTS', incoming) == 0 then
    local left = length - n
    local found_place = false
    while left > 0 do
      local newest_first = {}
      for _, item in ipairs(redis.call('RPOP', queue, math.min(left, 1000))) do
        left = left - 1
        if item == PLACE then found_place = true else newest_first[#newest_first + 1] = item end
      end
      if #newest_first > 0 then redis.call('LPUSH', incoming, unpack(newest_first)) end
      push_places(#newest_first)
      n = n + #newest_first
    end
    -- Somebody has put a URL between the places, or a place that was taken away and made again.
    if found_place then n = recount() end
  end
  set_count(n)
end

local function take_place()
  local first = redis.call('LPOP', queue)
  if first == PLACE then return set_count(tonumber(redis.call('GET', places)) - 1) end
  redis.call('LPUSH', incoming, first)
end
`;

// The bucket of one host in Redis, and what every script that moves it begins and ends with. One key, one JSON object:
//   startedAt  when the latest request left          paidAt     when all that left so far is paid for
//   gapMs      what the latest one had to pay         heldUntil  nothing leaves before it (Retry-After)
//   turn       who is about to leave, until turnUntil; before: paidAt and startedAt without him
//   line       who waits, in order: [caller, until when his place is kept]
// All times are Redis' own, in ms. A bucket is kept for ten minutes longer than it matters.

import { type LuaScript, luaScript } from '../lua-script.ts';
import { KEEP_FUNCTIONS } from './kept-key.ts';

/** How long a bucket that nobody owes anything to is kept. */
export const BUCKET_KEPT_MS = 600_000;

/** The seed's name for it. `host` is `host:port`. */
export function bucketKey(host: string): string {
  return `rate_limit:${host}`;
}

/** `body` finds `now`, `stored` (false when there is no bucket), `bucket` and `save()`. KEYS[1] is the bucket. */
export function bucketScript(body: string): LuaScript {
  return luaScript(`${KEEP_FUNCTIONS}${BEGIN}${body}`);
}

const BEGIN = `
local now = clock[1] * 1000 + clock[2] / 1000
local stored = redis.call('GET', KEYS[1])
local bucket = stored and cjson.decode(stored)
  or { startedAt = 0, paidAt = 0, gapMs = 0, heldUntil = 0, line = {} }

-- Should the clock have been set back: nothing has left in the future, and no hold is longer than Retry-After may be.
bucket.startedAt = math.min(bucket.startedAt, now)
bucket.heldUntil = math.min(bucket.heldUntil, now + 3600000)

-- Whoever did not end his turn in time is gone. His request may have left at the last moment.
if bucket.turn and bucket.turnUntil <= now then
  bucket.paidAt = bucket.paidAt + math.max(0, bucket.turnUntil - bucket.startedAt)
  bucket.startedAt = bucket.turnUntil
  bucket.turn = nil
end

local function save()
  local owedMs = math.max(bucket.paidAt, bucket.heldUntil, now) - now
  keep(KEYS[1], cjson.encode(bucket), owedMs + ${BUCKET_KEPT_MS})
end
`;

// Asks for the next turn of a host. One caller has it at a time, the first of the line, when the gap is over and nothing
// holds the host. A bucket that is new has one token; one that was lost has none, for somebody may just have left.

import { z } from 'zod';
import { bucketScript } from './bucket-script.ts';
import type { RedisLink } from './redis-link.ts';

export interface TurnQuestion {
  /** A name of its own for every turn. Asking twice under one name gets one turn. */
  readonly caller: string;
  readonly intervalMs: number;
  /** The interval with its jitter: what this turn costs. */
  readonly gapMs: number;
  readonly burst: number;
  /** Whether the caller has seen the bucket, so that it must have been lost if there is none. */
  readonly isKnown: boolean;
  /** What is left of a hold that the caller knows of. */
  readonly heldMs: number;
  /** The turn is lost when it is not ended, or kept, within this time. */
  readonly leaseMs: number;
}

export interface TurnAnswer {
  readonly isGranted: boolean;
  /** When to ask again. Who does not loses his place in the line. */
  readonly waitMs: number;
  /** What is left of a hold that the bucket knows of. */
  readonly heldMs: number;
}

// KEYS  1 bucket
// ARGV  1 caller, 2 intervalMs, 3 gapMs, 4 burst, 5 known (1 or 0), 6 heldMs, 7 leaseMs
// gives { 1 granted | 0 not yet, waitMs, heldMs }
const TAKE_TURN = bucketScript(`
local caller, interval, gap, burst = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local heldMs, leaseMs = tonumber(ARGV[6]), tonumber(ARGV[7])

if stored then
  bucket.paidAt = math.min(bucket.paidAt, bucket.startedAt + burst * math.max(bucket.gapMs, interval))
elseif ARGV[5] == '1' then
  bucket.startedAt = now
  bucket.gapMs = gap
  bucket.paidAt = now + (burst - 1) * interval + gap
else
  bucket.paidAt = now + (burst - 1) * interval
end

-- The caller does not leave while he knows of a hold, whether the bucket does or not. It is told of again only if it was
-- lost: every telling comes a little late, and would make the hold a little longer.
local heldUntil = math.max(bucket.heldUntil, heldMs > 0 and now + heldMs or 0)
if not stored then bucket.heldUntil = heldUntil end

local line, place = {}, nil
for _, waiter in ipairs(bucket.line) do
  if waiter[1] == caller or waiter[2] >= now then
    line[#line + 1] = waiter
    if waiter[1] == caller then place = #line end
  end
end
if not place and interval > 0 and bucket.turn ~= caller then
  line[#line + 1] = { caller, now }
  place = #line
end
bucket.line = line

local freeAt = bucket.paidAt - (burst - 1) * interval
if burst == 1 then freeAt = math.max(freeAt, bucket.startedAt + interval) end
freeAt = math.max(freeAt, heldUntil)
local heldFor = math.floor(math.max(0, bucket.heldUntil - now))

if interval == 0 then
  if not stored or heldUntil <= now then
    bucket.startedAt = now
    save()
  end
  if heldUntil > now then return { 0, math.ceil(math.min(heldUntil - now, 1000)), heldFor } end
  return { 1, 0, 0 }
end

if bucket.turn == caller then
  bucket.turnUntil = now + leaseMs
  save()
  return { 1, 0, heldFor }
end

if place == 1 and not bucket.turn and freeAt <= now then
  table.remove(bucket.line, 1)
  bucket.before = { bucket.paidAt, bucket.startedAt }
  bucket.startedAt = now
  bucket.gapMs = gap
  bucket.paidAt = math.max(bucket.paidAt, now) + gap
  bucket.turn = caller
  bucket.turnUntil = now + leaseMs
  save()
  return { 1, 0, heldFor }
end

-- Those in front need a gap each. Who is about to leave may take a moment, or find that he need not.
local waitMs = math.max(0, freeAt - now) + (place - 1) * interval
waitMs = math.ceil(math.min(math.max(waitMs, bucket.turn and 20 or 1), 1000))
line[place][2] = now + waitMs + 250
save()
return { 0, waitMs, heldFor }
`);

const Reply = z.tuple([z.number(), z.number(), z.number()]);

export async function takeTurn(link: RedisLink, key: string, question: TurnQuestion): Promise<TurnAnswer> {
  const { caller, intervalMs, gapMs, burst, isKnown, heldMs, leaseMs } = question;
  const args = [caller, intervalMs, gapMs, burst, isKnown ? 1 : 0, heldMs, leaseMs];
  const [granted, waitMs, heldForMs] = Reply.parse(await link.script(TAKE_TURN, [key], args));
  return { isGranted: granted === 1, waitMs, heldMs: heldForMs };
}

// Ends a turn, or keeps it from ending. Only who has the turn can: one that came too late changes nothing. Who still waits
// in the line leaves it.

import { bucketScript } from './bucket-script.ts';
import type { RedisLink } from './redis-link.ts';

/** `left`: the request is on the wire. `back`: there is none after all. `kept`: it is still on its way there. */
export type TurnEnd = 'left' | 'back' | 'kept';

// KEYS  1 bucket
// ARGV  1 caller, 2 end, 3 gapMs, 4 leaseMs
// gives 1 if the caller had the turn, else 0
const END_TURN = bucketScript(`
local caller, how, gap, leaseMs = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])

if not stored then
  -- It was lost with the turn in it. What has left now is paid for from now.
  if how == 'left' then
    bucket.startedAt = now
    bucket.gapMs = gap
    bucket.paidAt = now + gap
    save()
  end
  return 0
end

local line = {}
for _, waiter in ipairs(bucket.line) do
  if waiter[1] ~= caller then line[#line + 1] = waiter end
end
bucket.line = line

local isOurs = bucket.turn == caller
if isOurs then
  if how == 'kept' then
    bucket.turnUntil = now + leaseMs
  else
    if how == 'left' then
      bucket.paidAt = bucket.paidAt + now - bucket.startedAt
      bucket.startedAt = now
    else
      bucket.paidAt, bucket.startedAt = bucket.before[1], bucket.before[2]
    end
    bucket.turn, bucket.turnUntil, bucket.before = nil, nil, nil
  end
end
save()
return isOurs and 1 or 0
`);

/** `gapMs` is what the turn cost. Gives whether the caller had it. */
export async function endTurn(
  link: RedisLink,
  key: string,
  caller: string,
  end: TurnEnd,
  gapMs: number,
  leaseMs: number,
): Promise<boolean> {
  return (await link.script(END_TURN, [key], [caller, end, gapMs, leaseMs])) === 1;
}

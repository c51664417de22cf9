// Goes through the dead letters from the front. What is kept goes to the end, so that once round the order is as it was.

import { luaScript } from '../lua-script.ts';

/**
 * Stops at the first line that is not where it was read: somebody else is at work.
 *
 * KEYS: 1 dead letters, 2 queue.
 * ARGV: for each line from the front the line, what happens to it (`keep`, `requeue` or `drop`), and its URL.
 * Returns how many lines were gone through.
 */
export const sortDeadLettersScript = luaScript(`
local done = 0
for i = 1, #ARGV, 3 do
  if redis.call('LINDEX', KEYS[1], 0) ~= ARGV[i] then break end
  redis.call('LPOP', KEYS[1])
  if ARGV[i + 1] == 'keep' then redis.call('RPUSH', KEYS[1], ARGV[i]) end
  if ARGV[i + 1] == 'requeue' then redis.call('RPUSH', KEYS[2], ARGV[i + 2]) end
  done = done + 1
end
return done
`);

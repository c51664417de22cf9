// A move that Redis makes as one step. Known to Redis by the hash of its text, so that the text is sent once.
// Scripts read the time from Redis: the clocks of workers differ, and a lease that ends must end for all at once.

import { createHash } from 'node:crypto';

export interface LuaScript {
  readonly source: string;
  readonly sha: string;
}

/**
 * Puts in front what every script may use: `now_ms`, the time by Redis' own clock in milliseconds. The script runs even when
 * Redis is full: what gives back, publishes or frees must be possible then. Needs Redis 7.
 */
export function luaScript(body: string): LuaScript {
  return scriptOf(`${ALLOW_WHEN_FULL}${PREAMBLE}${body}`);
}

/** As `luaScript`, for a move that takes memory: Redis refuses it with OOM, before anything was changed, while it is full. */
export function growingLuaScript(body: string): LuaScript {
  return scriptOf(`${REFUSE_WHEN_FULL}${PREAMBLE}${body}`);
}

function scriptOf(source: string): LuaScript {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

// Must be the very first line of the text.
const ALLOW_WHEN_FULL = '#!lua flags=allow-oom\n';
const REFUSE_WHEN_FULL = '#!lua\n';

const PREAMBLE = `
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)
`;

// A move that Redis makes as one step. Known to Redis by the hash of its text, so that the text is sent once.
// Scripts read the time from Redis: the clocks of workers differ, and a lease that ends must end for all at once.

import { createHash } from 'node:crypto';

export interface LuaScript {
  readonly source: string;
  readonly sha: string;
}

/** Puts in front what every script may use: `now_ms`, the time by Redis' own clock in milliseconds. */
export function luaScript(body: string): LuaScript {
  const source = `${PREAMBLE}${body}`;
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}

const PREAMBLE = `
local clock = redis.call('TIME')
local now_ms = clock[1] * 1000 + math.floor(clock[2] / 1000)
`;

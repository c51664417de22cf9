// All that politeness wants of Redis. `RedisConnection` is one.

import type { LuaScript } from '../lua-script.ts';

export interface RedisLink {
  /**
   * Runs a script as one step. May try again by itself, so a script may run twice; rejects when Redis cannot be asked, or
   * refuses.
   */
  script(script: LuaScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** How many connections were made so far. Between one and the next Redis may have been restarted and forgotten things. */
  readonly connections: number;
}

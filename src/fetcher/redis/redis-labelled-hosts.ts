// The list of hosts with metrics of their own, as a sorted set in Redis: hosts by when they were last seen.

import { z } from 'zod';
import { LABEL_KEPT_MS, type LabelledHosts, MOST_LABELLED_HOSTS } from '../labelled-hosts.ts';
import { luaScript } from './lua-script.ts';
import type { RedisConnection } from './redis-connection.ts';
import type { RedisNames } from './redis-names.ts';

/**
 * KEYS: 1 labelled hosts.
 * ARGV: 1 host, 2 how many at most, 3 for how long a host that is not seen is kept, in ms.
 * Returns all hosts on the list.
 */
const claimScript = luaScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now_ms - ARGV[3])
if redis.call('ZSCORE', KEYS[1], ARGV[1]) or redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], now_ms, ARGV[1])
end
return redis.call('ZRANGE', KEYS[1], 0, -1)
`);

export class RedisLabelledHosts implements LabelledHosts {
  readonly #redis: RedisConnection;
  readonly #names: RedisNames;

  constructor(redis: RedisConnection, names: RedisNames) {
    this.#redis = redis;
    this.#names = names;
  }

  async claim(host: string): Promise<readonly string[]> {
    const args = [host, MOST_LABELLED_HOSTS, LABEL_KEPT_MS];
    return z.array(z.string()).parse(await this.#redis.script(claimScript, [this.#names.labelledHosts], args));
  }

  list(): Promise<readonly string[]> {
    return this.#redis.run((client) => client.zRange(this.#names.labelledHosts, 0, -1));
  }
}

// The cache on Redis: bytes as they are, and Redis' own expiry.

import type { PageCache } from '../page-cache.ts';
import type { RedisConnection } from './redis-connection.ts';

export class RedisPageCache implements PageCache {
  readonly #redis: RedisConnection;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return (await this.#redis.runBinary((client) => client.get(key))) ?? undefined;
  }

  async set(key: string, body: Uint8Array, ttlMs: number): Promise<void> {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    await this.#redis.run((client) => client.set(key, bytes, { expiration: { type: 'PX', value: ttlMs } }));
  }
}

// Bodies of the embedded page fetcher, in the ledger itself: so that a page and its event become true in one transaction, and
// what has expired leaves nothing behind. Callers hold the transaction.

import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../../platform/clock.ts';
import type { Database } from '../database.ts';

const SWEPT_AT_ONCE = 100;

export class FetchCacheTable {
  readonly #get: StatementSync;
  readonly #set: StatementSync;
  readonly #expire: StatementSync;
  readonly #sweep: StatementSync;

  constructor(database: Database) {
    this.#get = database.prepare(
      'SELECT body FROM fetcher_cache WHERE key = ? AND (expires_at IS NULL OR expires_at > ?)',
    );
    this.#set = database.prepare('INSERT OR REPLACE INTO fetcher_cache (key, body, expires_at) VALUES (?, ?, ?)');
    this.#expire = database.prepare('UPDATE fetcher_cache SET expires_at = ? WHERE key = ?');
    this.#sweep = database.prepare(
      `DELETE FROM fetcher_cache WHERE key IN
        (SELECT key FROM fetcher_cache WHERE expires_at <= ? ORDER BY expires_at LIMIT ${SWEPT_AT_ONCE})`,
    );
  }

  get(key: string, now: Instant): Uint8Array | undefined {
    const body = this.#get.get(key, now)?.body;
    return body instanceof Uint8Array ? body : undefined;
  }

  /** Without `expiresAt` it stays until `expire`. */
  set(key: string, body: Uint8Array, expiresAt: Instant | undefined): void {
    this.#set.run(key, body, expiresAt ?? null);
  }

  expire(key: string, at: Instant): void {
    this.#expire.run(at, key);
  }

  /** Removes some of what has expired. */
  sweep(now: Instant): void {
    this.#sweep.run(now);
  }
}

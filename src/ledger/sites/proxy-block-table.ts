// Which proxies rest, for each site by itself. An entry is there until its cooldown has passed; at that very moment it is
// gone.

import type { Instant } from '../../platform/clock.ts';
import type { Database } from '../database.ts';

export interface ProxyBlock {
  /** The proxy's name, without user and password. */
  readonly proxy: string;
  readonly failedAt: Instant;
  readonly failureCount: number;
  readonly lastError: string;
}

export class ProxyBlockTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A further failure counts up, restarts the cooldown and replaces the last error. */
  add(site: string, proxy: string, error: string, now: Instant): void {
    this.#database
      .prepare(
        `INSERT INTO proxy_blocklist (site_id, proxy, failed_at, failure_count, last_error) VALUES (?, ?, ?, 1, ?)
         ON CONFLICT (site_id, proxy) DO UPDATE
         SET failed_at = excluded.failed_at, failure_count = failure_count + 1, last_error = excluded.last_error`,
      )
      .run(site, proxy, now, error);
  }

  /** Drops the entries of a site that failed at this moment or before. */
  dropUpTo(site: string, failedAt: Instant): void {
    this.#database.prepare('DELETE FROM proxy_blocklist WHERE site_id = ? AND failed_at <= ?').run(site, failedAt);
  }

  /** The entries of a site that failed after this moment, the oldest failure first. */
  after(site: string, failedAt: Instant): ProxyBlock[] {
    return this.#database
      .prepare('SELECT * FROM proxy_blocklist WHERE site_id = ? AND failed_at > ? ORDER BY failed_at, proxy')
      .all(site, failedAt)
      .map((row) => ({
        proxy: String(row.proxy),
        failedAt: Number(row.failed_at),
        failureCount: Number(row.failure_count),
        lastError: String(row.last_error),
      }));
  }
}

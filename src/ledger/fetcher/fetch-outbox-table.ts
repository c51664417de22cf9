// Events on their way to the log, and who takes them there. Callers hold the transaction.

import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../../platform/clock.ts';
import type { Database } from '../database.ts';

export interface OutboxRow {
  readonly id: number;
  /** JSON. */
  readonly event: string;
}

export class FetchOutboxTable {
  readonly #append: StatementSync;
  readonly #oldest: StatementSync;
  readonly #remove: StatementSync;
  readonly #size: StatementSync;
  readonly #span: StatementSync;
  readonly #takeLease: StatementSync;
  readonly #unsureSince: StatementSync;
  readonly #setUnsure: StatementSync;
  readonly #holds: StatementSync;
  readonly #release: StatementSync;

  constructor(database: Database) {
    this.#append = database.prepare(
      'INSERT INTO fetcher_outbox (event_id, cache_key, event) VALUES (?, ?, ?) ON CONFLICT (event_id) DO NOTHING',
    );
    this.#oldest = database.prepare('SELECT id, event FROM fetcher_outbox ORDER BY id LIMIT ?');
    this.#remove = database.prepare('DELETE FROM fetcher_outbox WHERE id = ?');
    this.#size = database.prepare('SELECT count(*) AS n FROM fetcher_outbox');
    this.#span = database.prepare('SELECT max(id) - min(id) + 1 AS n FROM fetcher_outbox');
    this.#takeLease = database.prepare(
      'UPDATE fetcher_pump SET pump = ?1, deadline = ?2 WHERE pump = ?1 OR deadline <= ?3',
    );
    this.#unsureSince = database.prepare('SELECT unsure_since FROM fetcher_pump');
    this.#setUnsure = database.prepare('UPDATE fetcher_pump SET unsure_since = ? WHERE pump = ?');
    this.#holds = database.prepare('SELECT 1 FROM fetcher_pump WHERE pump = ? AND deadline > ?');
    this.#release = database.prepare('UPDATE fetcher_pump SET deadline = 0 WHERE pump = ?');
  }

  /** An event that is in it already is not added again. */
  append(eventId: string, cacheKey: string, event: string): void {
    this.#append.run(eventId, cacheKey, event);
  }

  oldest(limit: number): OutboxRow[] {
    return this.#oldest.all(limit).map((row) => ({ id: Number(row.id), event: String(row.event) }));
  }

  /** False when it was not there. */
  remove(id: number): boolean {
    return this.#remove.run(id).changes === 1;
  }

  size(): number {
    return Number(this.#size.get()?.n);
  }

  /** Counts only when it may be: it is asked for every page. */
  isFull(limit: number): boolean {
    return Number(this.#span.get()?.n ?? 0) >= limit && this.size() >= limit;
  }

  /** Takes or renews the lease; false when another pump has it. */
  takeLease(pump: string, deadline: Instant, now: Instant): boolean {
    return this.#takeLease.run(pump, deadline, now).changes === 1;
  }

  unsureSince(): string | undefined {
    const position = this.#unsureSince.get()?.unsure_since;
    return typeof position === 'string' ? position : undefined;
  }

  setUnsure(position: string | undefined, pump: string): void {
    this.#setUnsure.run(position ?? null, pump);
  }

  /** Whether the pump has the lease. */
  holdsLease(pump: string, now: Instant): boolean {
    return this.#holds.get(pump, now) !== undefined;
  }

  release(pump: string): void {
    this.#release.run(pump);
  }
}

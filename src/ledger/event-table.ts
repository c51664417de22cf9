// Things worth telling, in the order they became true: the outbox that every sink reads from.

import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../platform/clock.ts';
import type { Json } from '../platform/json.ts';
import type { Database } from './database.ts';
import type { NewEvent, RequestId } from './page-result.ts';
import type { RunId } from './run.ts';

export interface StoredEvent extends NewEvent {
  readonly id: number;
  readonly at: Instant;
  readonly requestId: RequestId | undefined;
  readonly url: string | undefined;
}

export class EventTable {
  readonly #insert: StatementSync;
  readonly #page: StatementSync;
  readonly #last: StatementSync;
  readonly #ofRequest: StatementSync;

  constructor(database: Database) {
    this.#insert = database.prepare('INSERT INTO events (run_id, at, kind, request_id, data) VALUES (?, ?, ?, ?, ?)');
    this.#last = database.prepare('SELECT max(id) AS id FROM events WHERE run_id = ?');
    // An expression for the limit: SQLite plans a query anew for every value of a bare one.
    this.#page = database.prepare(
      `SELECT events.id, at, kind, request_id, data, url FROM events LEFT JOIN requests ON requests.id = request_id
       WHERE events.run_id = ? AND events.id > ? ORDER BY events.id LIMIT 0 + ?`,
    );
    this.#ofRequest = database.prepare(
      'SELECT data FROM events WHERE run_id = ? AND request_id = ? AND kind = ? ORDER BY id DESC LIMIT 1',
    );
  }

  add(run: RunId, request: RequestId | undefined, event: NewEvent, now: Instant): void {
    this.#insert.run(run, now, event.kind, request ?? null, JSON.stringify(event.data));
  }

  /** What the last event of that kind says about a request. */
  lastOf(run: RunId, request: RequestId, kind: string): Json | undefined {
    const row = this.#ofRequest.get(run, request, kind);
    return row === undefined ? undefined : (JSON.parse(String(row.data)) as Json);
  }

  last(run: RunId): number {
    return Number(this.#last.get(run)?.id ?? 0);
  }

  after(run: RunId, id: number, limit: number): StoredEvent[] {
    return this.#page.all(run, id, limit).map((row) => ({
      id: Number(row.id),
      at: Number(row.at),
      kind: String(row.kind),
      requestId: row.request_id === null ? undefined : (row.request_id as RequestId),
      url: row.url === null ? undefined : String(row.url),
      data: JSON.parse(String(row.data)) as Json,
    }));
  }
}

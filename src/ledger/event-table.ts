// Things worth telling, in the order they became true: the outbox that every sink reads from.

import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../platform/clock.ts';
import type { Json } from '../platform/json.ts';
import type { Database } from './database.ts';
import { isoTime, readIsoTime } from './iso-time.ts';
import type { NewEvent, RequestId } from './page-result.ts';
import type { RunId } from './run.ts';
import { readJson } from './stored-json.ts';

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
  readonly #unreachable: StatementSync;
  readonly #waited: StatementSync;
  readonly #lost: StatementSync;

  constructor(database: Database) {
    this.#insert = database.prepare(
      'INSERT INTO events (run_id, request_id, event_type, payload_json, created_at) VALUES (?, ?, ?, ?, ?)',
    );
    this.#last = database.prepare('SELECT max(id) AS id FROM events WHERE run_id = ?');
    // An expression for the limit: SQLite plans a query anew for every value of a bare one.
    this.#page = database.prepare(
      `SELECT events.id, created_at, event_type, request_id, payload_json, url
       FROM events LEFT JOIN requests ON requests.id = request_id WHERE events.run_id = ? AND events.id > ? ORDER BY events.id LIMIT 0 + ?`,
    );
    this.#lost = database.prepare(
      `SELECT count(*) AS times, sum(payload_json ->> '$.count') AS n, min(payload_json ->> '$.urls[0]') AS example
       FROM events WHERE run_id = ? AND event_type = 'archive_lost' AND json_valid(payload_json)`,
    );
    this.#unreachable = database.prepare(
      `SELECT payload_json ->> '$.origin' AS origin, payload_json ->> '$.reason' AS reason,
              payload_json ->> '$.inForce' AS in_force, max(id)
       FROM events WHERE run_id = ? AND event_type = 'robots_unreachable' AND json_valid(payload_json) GROUP BY origin ORDER BY origin`,
    );
    // SQLite takes bare columns (event_type) from the row that has the maximum.
    this.#waited = database.prepare(
      `SELECT payload_json ->> '$.host' AS host, event_type, max(id) FROM events
       WHERE run_id = ? AND event_type IN ('waiting', 'retry_after', 'given_up') GROUP BY host ORDER BY host`,
    );
    this.#ofRequest = database.prepare(
      'SELECT payload_json FROM events WHERE run_id = ? AND request_id = ? AND event_type = ? ORDER BY id DESC LIMIT 1',
    );
  }

  add(run: RunId, request: RequestId | undefined, event: NewEvent, now: Instant): void {
    this.#insert.run(run, request ?? null, event.kind, JSON.stringify(event.data), isoTime(now));
  }

  /** What the last event of that kind says about a request. */
  lastOf(run: RunId, request: RequestId, kind: string): Json | undefined {
    const row = this.#ofRequest.get(run, request, kind);
    return row === undefined ? undefined : readJson(row.payload_json);
  }

  /** The robots.txt files that could not be had, each with what was heard of it last. */
  unreachableRobots(run: RunId): { readonly origin: string; readonly reason: string; readonly inForce: string }[] {
    return this.#unreachable.all(run).map(({ origin, reason, in_force }) => ({
      origin: String(origin),
      reason: String(reason),
      inForce: String(in_force),
    }));
  }

  /** What power cuts have taken from the run's archive: how many addresses, and one of them. */
  lostFromArchive(run: RunId): { readonly count: number; readonly example: string } | undefined {
    const row = this.#lost.get(run);
    return row === undefined || row.times === 0 ? undefined : { count: Number(row.n), example: String(row.example) };
  }

  /** The hosts that the run has waited for, without those that it has given up. */
  waitedHosts(run: RunId): string[] {
    const rows = this.#waited.all(run).filter(({ event_type }) => event_type !== 'given_up');
    return rows.map(({ host }) => String(host));
  }

  last(run: RunId): number {
    return Number(this.#last.get(run)?.id ?? 0);
  }

  after(run: RunId, id: number, limit: number): StoredEvent[] {
    return this.#page.all(run, id, limit).map((row) => ({
      id: Number(row.id),
      at: readIsoTime(row.created_at),
      kind: String(row.event_type),
      requestId: row.request_id === null ? undefined : (row.request_id as RequestId),
      url: row.url === null ? undefined : String(row.url),
      data: readJson(row.payload_json),
    }));
  }
}

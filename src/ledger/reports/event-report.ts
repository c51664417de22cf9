// Events for those who look: of one request, of a run from the newest on, and of all runs from a place on. Those that only say
// that a request was made are for the receipt: there is one for each, and nobody would see the others among them.

import type { Json } from '../../platform/json.ts';
import type { Database } from '../database.ts';
import type { RequestId } from '../page-result.ts';
import type { RunId } from '../run.ts';
import { readJson } from '../stored-json.ts';

export interface EventReportRow {
  readonly id: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly run: number | undefined;
  readonly kind: string;
  readonly request: number | undefined;
  readonly caseId: number | undefined;
  readonly url: string | undefined;
  readonly data: Json;
}

const TOLD = `event_type NOT IN ('answered', 'page_request')`;

const SELECT = `SELECT events.id, created_at, events.run_id, event_type, request_id, case_id, url, payload_json
  FROM events LEFT JOIN requests ON requests.id = request_id`;

export class EventReport {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** In the order in which they became true. */
  ofRequest(request: RequestId, limit: number): EventReportRow[] {
    return this.#database
      .prepare(`${SELECT} WHERE request_id = ? ORDER BY events.id LIMIT ?`)
      .all(request, limit)
      .map(readEvent);
  }

  /** Newest first. */
  before(run: RunId, id: number | undefined, limit: number): EventReportRow[] {
    return this.#database
      .prepare(`${SELECT} WHERE ${TOLD} AND events.run_id = ? AND events.id < ? ORDER BY events.id DESC LIMIT ?`)
      .all(run, id ?? Number.MAX_SAFE_INTEGER, limit)
      .map(readEvent);
  }

  /** Of all runs, or of one, in order. */
  after(id: number, run: RunId | undefined, limit: number): EventReportRow[] {
    return run === undefined
      ? this.#database
          .prepare(`${SELECT} WHERE ${TOLD} AND events.id > ? ORDER BY events.id LIMIT ?`)
          .all(id, limit)
          .map(readEvent)
      : this.#database
          .prepare(`${SELECT} WHERE ${TOLD} AND events.run_id = ? AND events.id > ? ORDER BY events.id LIMIT ?`)
          .all(run, id, limit)
          .map(readEvent);
  }

  /** The id of the latest event of all; 0 when there is none. */
  last(): number {
    return Number(this.#database.prepare('SELECT max(id) AS id FROM events').get()?.id ?? 0);
  }
}

function readEvent(row: Record<string, unknown>): EventReportRow {
  return {
    id: Number(row.id),
    at: String(row.created_at),
    run: optional(row.run_id),
    kind: String(row.event_type),
    request: optional(row.request_id),
    caseId: optional(row.case_id),
    url: row.url === null ? undefined : String(row.url),
    data: readJson(row.payload_json),
  };
}

function optional(column: unknown): number | undefined {
  return column === null ? undefined : Number(column);
}

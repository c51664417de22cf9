// What a walk has to tell, until it is a run: then these are the run's first events.

import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../../platform/clock.ts';
import type { Database } from '../database.ts';
import { isoTime } from '../iso-time.ts';
import type { NewEvent } from '../page-result.ts';
import type { RunId } from '../run.ts';

export class WalkEventTable {
  readonly #insert: StatementSync;
  readonly #handOver: StatementSync;

  constructor(database: Database) {
    this.#insert = database.prepare(
      'INSERT INTO walk_events (site_id, event_type, payload_json, created_at) VALUES (?, ?, ?, ?)',
    );
    this.#handOver = database.prepare(
      `INSERT INTO events (run_id, event_type, payload_json, created_at)
       SELECT ?, event_type, payload_json, created_at FROM walk_events WHERE site_id = ? ORDER BY id`,
    );
  }

  add(site: string, { kind, data }: NewEvent, now: Instant): void {
    this.#insert.run(site, kind, JSON.stringify(data), isoTime(now));
  }

  /** Makes them events of the run, too. They go with the partial run. */
  handOver(site: string, run: RunId): void {
    this.#handOver.run(run, site);
  }
}

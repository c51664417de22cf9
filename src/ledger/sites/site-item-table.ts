// From which start pages each item of a run came.

import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database.ts';
import type { RequestId } from '../page-result.ts';
import type { RunId } from '../run.ts';

/** An item of a run, with the start pages it came from, in their order. */
export interface SiteItem {
  readonly url: string;
  readonly startPages: readonly string[];
}

export class SiteItemTable {
  readonly #database: Database;
  readonly #add: StatementSync;

  constructor(database: Database) {
    this.#database = database;
    this.#add = database.prepare(
      'INSERT OR IGNORE INTO site_items (run_id, request_id, ordinal, start_page) VALUES (?, ?, ?, ?)',
    );
  }

  /** `startPage` with its place among the start pages of the site. */
  add(run: RunId, request: RequestId, startPage: { readonly ordinal: number; readonly url: string }): void {
    this.#add.run(run, request, startPage.ordinal, startPage.url);
  }

  /** The items of a run in the order of their commit. Empty for a run that is not of a site. */
  of(run: RunId): SiteItem[] {
    const rows = this.#database
      .prepare(
        `SELECT requests.url, start_page FROM site_items JOIN requests ON requests.id = request_id
         WHERE site_items.run_id = ? ORDER BY request_id, ordinal`,
      )
      .all(run);
    const items = Map.groupBy(rows, (row) => String(row.url));
    return [...items].map(([url, origins]) => ({ url, startPages: origins.map((row) => String(row.start_page)) }));
  }

  /** Makes the items of `original` the first requests of `run`. Without effect when that is not of a site. */
  copy(original: RunId, run: RunId): void {
    this.#database
      .prepare(
        `INSERT INTO requests (run_id, host_id, state, priority, depth, identity, reading, method, url, step, extra)
         SELECT ?, host_id, 0, priority, depth, identity, reading, method, url, step, extra FROM requests
         WHERE id IN (SELECT request_id FROM site_items WHERE run_id = ?) ORDER BY id`,
      )
      .run(run, original);
    this.#database
      .prepare(
        `INSERT INTO site_items (run_id, request_id, ordinal, start_page)
         SELECT new.run_id, new.id, ordinal, start_page FROM site_items
         JOIN requests AS old ON old.id = request_id JOIN requests AS new ON new.run_id = ? AND new.identity = old.identity
         WHERE site_items.run_id = ?`,
      )
      .run(run, original);
    this.#database
      .prepare(
        `INSERT INTO run_counts (run_id, host_id, verdict, n)
         SELECT run_id, host_id, 'pending', count(*) FROM requests WHERE run_id = ? GROUP BY host_id`,
      )
      .run(run);
  }
}

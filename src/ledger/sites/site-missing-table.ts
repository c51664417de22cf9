// Items that the runs of a site before had, and a run has not. One that is missing stays so until a list has it again, or
// somebody accepts that it is gone: so a loss is not forgotten by the run after it.

import type { Database } from '../database.ts';
import type { RunId } from '../run.ts';

/** Items that are missing: how many, and the first of them. */
export interface MissingItems {
  readonly count: number;
  readonly urls: readonly string[];
}

export class SiteMissingTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Notes what the run of that site before had or missed, of these start pages, and `run` has not. */
  note(site: string, run: RunId, startPages: readonly string[]): void {
    const before = this.#database
      .prepare(`SELECT max(id) AS id FROM runs WHERE kind = 'site' AND name = ? AND id < ?`)
      .get(site, run)?.id;
    if (typeof before !== 'number') return;
    this.#database
      .prepare(
        `INSERT INTO site_missing (run_id, url, start_page)
         SELECT ?1, url, min(start_page) FROM (
           SELECT requests.url AS url, start_page FROM site_items JOIN requests ON requests.id = request_id
           WHERE site_items.run_id = ?2
           UNION SELECT url, start_page FROM site_missing WHERE run_id = ?2)
         WHERE start_page IN (SELECT value FROM json_each(?3)) AND url NOT IN (SELECT url FROM requests WHERE run_id = ?1)
         GROUP BY url`,
      )
      .run(run, before, JSON.stringify(startPages));
  }

  of(run: RunId, limit: number): MissingItems {
    const row = this.#database.prepare('SELECT count(*) AS n FROM site_missing WHERE run_id = ?').get(run);
    const urls = this.#database
      .prepare('SELECT url FROM site_missing WHERE run_id = ? ORDER BY url LIMIT ?')
      .all(run, limit)
      .map(({ url }) => String(url));
    return { count: Number(row?.n), urls };
  }
}

// Sites as they were declared last.

import type { Json } from '../../platform/json.ts';
import type { Database } from '../database.ts';
import { readJson } from '../stored-json.ts';

export interface StoredSite {
  /** Its domain. */
  readonly id: string;
  /** The file it was loaded from; undefined when it was declared in code. */
  readonly source: string | undefined;
  readonly config: Json;
}

export class SiteTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  save({ id, source, config }: StoredSite): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO sites (id, source, config) VALUES (?, ?, ?)')
      .run(id, source ?? null, JSON.stringify(config));
  }

  find(id: string): StoredSite | undefined {
    const row = this.#database.prepare('SELECT * FROM sites WHERE id = ?').get(id);
    return row === undefined ? undefined : readSite(row);
  }

  /** By domain. */
  list(): StoredSite[] {
    return this.#database.prepare('SELECT * FROM sites ORDER BY id').all().map(readSite);
  }
}

function readSite(row: Record<string, unknown>): StoredSite {
  return {
    id: String(row.id),
    source: row.source === null ? undefined : String(row.source),
    config: readJson(row.config),
  };
}

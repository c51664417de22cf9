// How far the entries of a run have been read. An entry is pure: after a crash it is read again and the first `yielded`
// requests are passed over.

import type { Json } from '../platform/json.ts';
import type { Database } from './database.ts';
import type { RunId } from './run.ts';
import { requireJson } from './stored-json.ts';

export interface Seed {
  readonly entry: string;
  readonly params: Json | undefined;
  readonly yielded: number;
  readonly finished: boolean;
}

export class SeedTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  plan(run: RunId, entry: string, params: Json | undefined): void {
    this.#database
      .prepare('INSERT INTO seeds (run_id, entry, params) VALUES (?, ?, ?)')
      .run(run, entry, params === undefined ? null : JSON.stringify(params));
  }

  of(run: RunId): Seed[] {
    return this.#database
      .prepare('SELECT * FROM seeds WHERE run_id = ?')
      .all(run)
      .map((row) => ({
        entry: String(row.entry),
        params: row.params === null ? undefined : requireJson(row.params, `parameters of ${row.entry} in run ${run}`),
        yielded: Number(row.yielded),
        finished: row.finished === 1,
      }));
  }

  advance(run: RunId, entry: string, yielded: number, finished: boolean): void {
    this.#database
      .prepare('UPDATE seeds SET yielded = ?, finished = ? WHERE run_id = ? AND entry = ?')
      .run(yielded, finished ? 1 : 0, run, entry);
  }
}

// Hosts by a small number, so that a million requests do not repeat a name.

import type { StatementSync } from 'node:sqlite';
import type { Database } from './database.ts';
import type { HostId } from './page-result.ts';

export class HostTable {
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #known = new Map<string, HostId>();

  constructor(database: Database) {
    this.#find = database.prepare('SELECT id FROM hosts WHERE name = ?');
    this.#insert = database.prepare('INSERT INTO hosts (name) VALUES (?)');
  }

  /** The host's number; a new host gets one. Call it inside a transaction, and `forget` when that fails. */
  idOf(name: string): HostId {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const row = this.#find.get(name);
    const id = Number(row === undefined ? this.#insert.run(name).lastInsertRowid : row.id) as HostId;
    this.#known.set(name, id);
    return id;
  }

  /** Drops what was remembered of a transaction that did not come to be. */
  forget(): void {
    this.#known.clear();
  }
}

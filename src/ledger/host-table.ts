// Hosts by a small number, so that a million requests do not repeat a name.

import type { StatementSync } from 'node:sqlite';
import type { Json } from '../platform/json.ts';
import type { Database } from './database.ts';
import type { HostId } from './page-result.ts';

export class HostTable {
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #states: StatementSync;
  readonly #saveState: StatementSync;
  readonly #robots: StatementSync;
  readonly #saveRobots: StatementSync;
  readonly #known = new Map<string, HostId>();

  constructor(database: Database) {
    this.#find = database.prepare('SELECT id FROM hosts WHERE name = ?');
    this.#insert = database.prepare('INSERT INTO hosts (name) VALUES (?)');
    this.#states = database.prepare('SELECT name, state FROM hosts WHERE state IS NOT NULL');
    this.#robots = database.prepare('SELECT origin, record FROM robots');
    this.#saveRobots = database.prepare('INSERT OR REPLACE INTO robots (origin, record) VALUES (?, ?)');
    this.#saveState = database.prepare('UPDATE hosts SET state = ? WHERE id = ?');
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

  /** The states that earlier processes left, by host. */
  states(): Map<string, Json> {
    return new Map(this.#states.all().map((row) => [String(row.name), JSON.parse(String(row.state)) as Json]));
  }

  saveState(name: string, state: Json): void {
    this.#saveState.run(JSON.stringify(state), this.idOf(name));
  }

  /** What is known of robots.txt, by origin. */
  robots(): Map<string, Json> {
    return new Map(this.#robots.all().map((row) => [String(row.origin), JSON.parse(String(row.record)) as Json]));
  }

  saveRobots(origin: string, record: Json): void {
    this.#saveRobots.run(origin, JSON.stringify(record));
  }

  /** Drops what was remembered of a transaction that did not come to be. */
  forget(): void {
    this.#known.clear();
  }
}

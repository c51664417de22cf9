// What processes that work on one data directory at the same time tell each other of hosts: whose turn it is, who probes, what
// robots.txt says. Synchronous and each a step of its own: a request waits for it, and it takes microseconds.

import type { StatementSync } from 'node:sqlite';
import type { Json } from '../platform/json.ts';
import type { Database } from './database.ts';
import type { HostTable } from './host-table.ts';

export class HostNotes {
  readonly #database: Database;
  readonly #hosts: HostTable;
  readonly #read: StatementSync;
  readonly #write: StatementSync;

  constructor(database: Database, hosts: HostTable) {
    this.#database = database;
    this.#hosts = hosts;
    this.#read = database.prepare('SELECT text FROM host_notes WHERE name = ?');
    this.#write = database.prepare('INSERT OR REPLACE INTO host_notes (name, text) VALUES (?, ?)');
  }

  /** The note of that name; undefined when there is none. */
  read(name: string): string | undefined {
    const row = this.#read.get(name);
    return row === undefined ? undefined : String(row.text);
  }

  /**
   * Replaces the note by what `decide` makes of it, while nobody else can change it. Undefined leaves it as it is. Gives what
   * is there afterwards.
   */
  change(name: string, decide: (text: string | undefined) => string | undefined): string | undefined {
    return this.#database.transaction(() => {
      const text = this.read(name);
      const next = decide(text);
      if (next === undefined) return text;
      this.#write.run(name, next);
      return next;
    });
  }

  /** What is known of the robots.txt of an origin. */
  readRobots(origin: string): Json | undefined {
    return this.#hosts.robotsOf(origin);
  }

  saveRobots(origin: string, record: Json): void {
    this.#database.transaction(() => this.#hosts.saveRobots(origin, record));
  }
}

// The page fetcher's part of the ledger.

import { join } from 'node:path';
import { Database, type DatabaseOptions, type Durability } from '../database.ts';
import { HostNotes } from '../host-notes.ts';
import { HostTable } from '../host-table.ts';
import { LEDGER_FILE } from '../ledger.ts';
import { DeadLetterTable } from './dead-letter-table.ts';
import { FetchCacheTable } from './fetch-cache-table.ts';
import { FetchOutboxTable } from './fetch-outbox-table.ts';
import { FetchQueueTable } from './fetch-queue-table.ts';

export class FetcherLedger {
  readonly queue: FetchQueueTable;
  readonly cache: FetchCacheTable;
  readonly outbox: FetchOutboxTable;
  readonly deadLetters: DeadLetterTable;
  readonly hosts: HostTable;
  readonly notes: HostNotes;
  readonly #database: Database;

  private constructor(database: Database) {
    this.#database = database;
    this.queue = new FetchQueueTable(database);
    this.cache = new FetchCacheTable(database);
    this.outbox = new FetchOutboxTable(database);
    this.deadLetters = new DeadLetterTable(database);
    this.hosts = new HostTable(database);
    this.notes = new HostNotes(database, this.hosts);
  }

  static open(dataDirectory: string, options: DatabaseOptions = {}): FetcherLedger {
    return new FetcherLedger(Database.open(join(dataDirectory, LEDGER_FILE), options));
  }

  /** All of `work` becomes true, or nothing. With `power` it is on the device when this returns. */
  transaction<T>(work: () => T, durability: Durability = 'process'): T {
    try {
      return this.#database.transaction(work, durability);
    } catch (error) {
      this.hosts.forget();
      throw error;
    }
  }

  close(): void {
    this.#database.close();
  }
}

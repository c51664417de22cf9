// Dead letters of the embedded page fetcher. Callers hold the transaction.

import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database.ts';

export interface DeadLetterRow {
  readonly id: number;
  readonly url: string;
  readonly line: string;
}

const FITTING = '(reason = ?1 OR ?1 IS NULL) AND (host = ?2 OR ?2 IS NULL)';

export class DeadLetterTable {
  readonly #insert: StatementSync;
  readonly #after: StatementSync;
  readonly #take: StatementSync;
  readonly #size: StatementSync;

  constructor(database: Database) {
    this.#insert = database.prepare('INSERT INTO fetcher_dead_letters (url, host, reason, line) VALUES (?, ?, ?, ?)');
    this.#after = database.prepare(
      `SELECT id, url, line FROM fetcher_dead_letters WHERE ${FITTING} AND id > ?3 ORDER BY id LIMIT ?4`,
    );
    this.#take = database.prepare(`DELETE FROM fetcher_dead_letters WHERE ${FITTING} RETURNING id, url, line`);
    this.#size = database.prepare('SELECT count(*) AS n FROM fetcher_dead_letters');
  }

  add(letter: { readonly url: string; readonly host: string; readonly reason: string; readonly line: string }): void {
    this.#insert.run(letter.url, letter.host, letter.reason, letter.line);
  }

  /** Up to `limit` after the one with id `after`, oldest first. What is not given fits all. */
  after(reason: string | undefined, host: string | undefined, after: number, limit: number): DeadLetterRow[] {
    return this.#after.all(reason ?? null, host ?? null, after, limit).map(readRow);
  }

  /** Removes and gives those that fit, oldest first. */
  take(reason: string | undefined, host: string | undefined): DeadLetterRow[] {
    return this.#take
      .all(reason ?? null, host ?? null)
      .map(readRow)
      .sort((a, b) => a.id - b.id);
  }

  size(): number {
    return Number(this.#size.get()?.n);
  }
}

function readRow(row: Record<string, unknown>): DeadLetterRow {
  return { id: Number(row.id), url: String(row.url), line: String(row.line) };
}

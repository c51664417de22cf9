// Finds the exchange that holds a body. Hashes are in no order, so that writing each down with its page would touch a page of
// the file for every one, half of all that a run writes: they are gathered, and written in the order of the index. What is
// not written when a process is killed is made up for by the next (`catchUp`).

import type { StatementSync } from 'node:sqlite';
import type { Database } from './database.ts';
import { HashFilter } from './hash-filter.ts';
import type { ExchangeId } from './page-result.ts';

/** So many are gathered before they are written: half a megabyte. */
const MOST_GATHERED = 4096;
/** Above so many bodies reading them all would hold up the first request. */
const MOST_FILTERED = 200_000;
const ALWAYS_LOOK = { add: () => {}, mayHave: () => true };

export class BodyIndex {
  readonly #insert: StatementSync;
  readonly #find: StatementSync;
  readonly #all: StatementSync;
  readonly #newest: StatementSync;
  readonly #remove: StatementSync;
  readonly #replace: StatementSync;
  /** By hash, a character for each byte: their order is that of the index. */
  readonly #gathered = new Map<string, ExchangeId>();
  /** Read when it is first needed. */
  #filter: Pick<HashFilter, 'add' | 'mayHave'> | undefined;

  constructor(database: Database) {
    this.#insert = database.prepare('INSERT OR IGNORE INTO bodies (sha256, exchange_id) VALUES (?, ?)');
    this.#find = database.prepare('SELECT exchange_id FROM bodies WHERE sha256 = ?');
    this.#all = database.prepare('SELECT sha256 FROM bodies');
    this.#replace = database.prepare('UPDATE bodies SET exchange_id = ? WHERE sha256 = ? AND exchange_id = ?');
    this.#remove = database.prepare('DELETE FROM bodies WHERE sha256 = ? AND exchange_id = ?');
    this.#newest = database.prepare(
      `SELECT id, body_sha256 FROM exchanges WHERE id > (SELECT max(id) FROM exchanges) - ?
       AND body_size > 0 AND file_path IS NULL AND revisit_of IS NULL AND lost IS NULL`,
    );
  }

  /** Says that this exchange holds the body, unless another is known to. Call it within a transaction. */
  add(sha256: Uint8Array, exchange: ExchangeId): void {
    const key = keyOf(sha256);
    if (!this.#gathered.has(key)) this.#gathered.set(key, exchange);
    this.#filter?.add(sha256);
    if (this.#gathered.size >= MOST_GATHERED) this.write();
  }

  /** The exchange that holds the body. May miss one that another process is archiving now: it is then archived twice. */
  find(sha256: Uint8Array): ExchangeId | undefined {
    this.#filter ??= this.#readFilter();
    if (!this.#filter.mayHave(sha256)) return undefined;
    const written = this.#find.get(sha256)?.exchange_id as ExchangeId | undefined;
    return written ?? this.#gathered.get(keyOf(sha256));
  }

  /** Says that another exchange holds the body instead. Call it within a transaction. */
  replace(sha256: Uint8Array, before: ExchangeId, exchange: ExchangeId): void {
    this.#replace.run(exchange, sha256, before);
    if (this.#gathered.get(keyOf(sha256)) === before) this.#gathered.set(keyOf(sha256), exchange);
  }

  /** Says that this exchange holds the body no longer. Call it within a transaction. */
  remove(sha256: Uint8Array, exchange: ExchangeId): void {
    this.#remove.run(sha256, exchange);
    if (this.#gathered.get(keyOf(sha256)) === exchange) this.#gathered.delete(keyOf(sha256));
  }

  /** Writes down what was gathered. Call it within a transaction. */
  write(): void {
    for (const key of [...this.#gathered.keys()].sort()) {
      this.#insert.run(Buffer.from(key, 'latin1'), this.#gathered.get(key) as ExchangeId);
    }
    this.#gathered.clear();
  }

  /** Writes down what a process that was killed had gathered: it is among the newest. Call it within a transaction. */
  catchUp(): void {
    for (const { id, body_sha256 } of this.#newest.all(2 * MOST_GATHERED)) {
      this.add(body_sha256 as Uint8Array, id as ExchangeId);
    }
    this.write();
  }

  /** Drops what was gathered in a transaction that did not come to be. What came to be before it is then archived twice. */
  forget(): void {
    this.#gathered.clear();
  }

  #readFilter(): Pick<HashFilter, 'add' | 'mayHave'> {
    const filter = new HashFilter();
    let rows = 0;
    for (const { sha256 } of this.#all.iterate()) {
      filter.add(sha256 as Uint8Array);
      if (++rows > MOST_FILTERED) return ALWAYS_LOOK;
    }
    for (const key of this.#gathered.keys()) filter.add(Buffer.from(key, 'latin1'));
    return filter;
  }
}

function keyOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

// The queue of the embedded page fetcher. Callers hold the transaction.

import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../../platform/clock.ts';
import type { Database } from '../database.ts';

export interface QueuedItem {
  readonly place: number;
  readonly item: string;
  readonly host: string;
}

/** Rows looked at one by one before the hosts are gone through instead. */
const LOOK_AHEAD = 64;

/** The first waiting row of each host, found by jumping from host to host: its cost is the number of hosts, not of rows. */
const FIRST_OF_EACH_HOST = `
  WITH RECURSIVE waiting (host) AS (
    SELECT min(host) FROM fetcher_queue WHERE worker IS NULL
    UNION ALL
    SELECT (SELECT min(host) FROM fetcher_queue WHERE worker IS NULL AND host > waiting.host)
    FROM waiting WHERE waiting.host IS NOT NULL
  )
  SELECT min((SELECT min(place) FROM fetcher_queue WHERE worker IS NULL AND host = waiting.host)) AS place
  FROM waiting WHERE host IS NOT NULL AND host NOT IN (SELECT value FROM json_each(?))`;

export class FetchQueueTable {
  readonly #insert: StatementSync;
  readonly #ahead: StatementSync;
  readonly #firstOfHosts: StatementSync;
  readonly #at: StatementSync;
  readonly #handOut: StatementSync;
  readonly #remove: StatementSync;
  readonly #extend: StatementSync;
  readonly #ended: StatementSync;
  readonly #held: StatementSync;
  readonly #size: StatementSync;

  constructor(database: Database) {
    this.#insert = database.prepare('INSERT INTO fetcher_queue (item, host) VALUES (?, ?)');
    this.#ahead = database.prepare(
      `SELECT place, item, host FROM fetcher_queue WHERE worker IS NULL ORDER BY place LIMIT ${LOOK_AHEAD}`,
    );
    this.#firstOfHosts = database.prepare(FIRST_OF_EACH_HOST);
    this.#at = database.prepare('SELECT place, item, host FROM fetcher_queue WHERE place = ?');
    this.#handOut = database.prepare('UPDATE fetcher_queue SET worker = ?, deadline = ? WHERE place = ?');
    this.#remove = database.prepare(
      'DELETE FROM fetcher_queue WHERE place = ? AND worker = ? RETURNING place, item, host',
    );
    this.#extend = database.prepare('UPDATE fetcher_queue SET deadline = ? WHERE place = ? AND worker = ?');
    this.#ended = database.prepare(
      'DELETE FROM fetcher_queue WHERE worker IS NOT NULL AND deadline <= ? RETURNING place, item, host',
    );
    this.#held = database.prepare('SELECT 1 FROM fetcher_queue WHERE place = ? AND worker = ?');
    this.#size = database.prepare(`SELECT (SELECT count(*) FROM fetcher_queue WHERE worker IS NULL) AS waiting,
        (SELECT count(*) FROM fetcher_queue WHERE worker IS NOT NULL) AS leased`);
  }

  append(item: string, host: string): void {
    this.#insert.run(item, host);
  }

  /** Hands out the first waiting row whose host is not among `except`. */
  handOut(worker: string, deadline: Instant, except: ReadonlySet<string>): QueuedItem | undefined {
    const next = this.#next(except);
    if (next !== undefined) this.#handOut.run(worker, deadline, next.place);
    return next;
  }

  /** Ends a lease; undefined when it is lost. */
  end(place: number, worker: string): QueuedItem | undefined {
    const row = this.#remove.get(place, worker);
    return row === undefined ? undefined : readItem(row);
  }

  isHeld(place: number, worker: string): boolean {
    return this.#held.get(place, worker) !== undefined;
  }

  /** False when the lease is lost. */
  extend(place: number, worker: string, deadline: Instant): boolean {
    return this.#extend.run(deadline, place, worker).changes === 1;
  }

  /** Returns rows whose lease has ended to the end. Gives how many. */
  reap(now: Instant): number {
    const ended = this.#ended
      .all(now)
      .map(readItem)
      .sort((a, b) => a.place - b.place);
    for (const { item, host } of ended) this.append(item, host);
    return ended.length;
  }

  size(): { readonly waiting: number; readonly leased: number } {
    const { waiting, leased } = this.#size.get() ?? {};
    return { waiting: Number(waiting), leased: Number(leased) };
  }

  #next(except: ReadonlySet<string>): QueuedItem | undefined {
    const ahead = this.#ahead.all().map(readItem);
    const wanted = ahead.find(({ host }) => !except.has(host));
    if (wanted !== undefined || ahead.length < LOOK_AHEAD) return wanted;
    const place = this.#firstOfHosts.get(JSON.stringify([...except]))?.place;
    const row = typeof place === 'number' ? this.#at.get(place) : undefined;
    return row === undefined ? undefined : readItem(row);
  }
}

function readItem(row: Record<string, unknown>): QueuedItem {
  return { place: Number(row.place), item: String(row.item), host: String(row.host) };
}

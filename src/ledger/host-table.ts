// Hosts by a small number, so that a million requests do not repeat a name.

import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../platform/clock.ts';
import type { Json } from '../platform/json.ts';
import type { Database } from './database.ts';
import type { HostId } from './page-result.ts';
import { isJson, readJson } from './stored-json.ts';

/** What fetching learnt: of hosts by their names, of robots.txt by origin. */
export interface LearntOfHosts {
  readonly hosts: ReadonlyMap<string, Json>;
  readonly robots: ReadonlyMap<string, Json>;
}

/** No host is waited for longer than an hour at a time. */
const MOST_AHEAD_MS = 2 * 3_600_000;

export class HostTable {
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #states: StatementSync;
  readonly #saveState: StatementSync;
  readonly #robots: StatementSync;
  readonly #robotsOf: StatementSync;
  readonly #saveRobots: StatementSync;
  readonly #known = new Map<string, HostId>();

  constructor(database: Database) {
    this.#find = database.prepare('SELECT id FROM hosts WHERE name = ?');
    this.#insert = database.prepare('INSERT INTO hosts (name) VALUES (?)');
    this.#states = database.prepare('SELECT name, state FROM hosts WHERE state IS NOT NULL');
    this.#robots = database.prepare('SELECT origin, record FROM robots');
    this.#robotsOf = database.prepare('SELECT record FROM robots WHERE origin = ?');
    this.#saveRobots = database.prepare('INSERT OR REPLACE INTO robots (origin, record) VALUES (?, ?)');
    // Another process may be at work here: what it was asked for by the host is not forgotten for what this one knows. But
    // what no host can have asked for was saved by a clock that was wrong.
    // A state that cannot be read is replaced.
    const saved = `iif(json_valid(state), state, '{}')`;
    const kept = (path: string) => `coalesce(json_extract(${saved}, '$.${path}'), 0)`;
    const later = (path: string) =>
      `'$.${path}', max(iif(${kept(path)} > ?3, 0, ${kept(path)}), coalesce(json_extract(?1, '$.${path}'), 0))`;
    // A breaker that has opened once more knows of an outage that the other has not seen.
    const generation = (state: string) => `coalesce(json_extract(${state}, '$.breaker.generation'), 0)`;
    const newer = `iif(${generation(saved)} > ${generation('?1')}, state, ?1)`;
    // What each has counted since it saved last is counted together.
    const count = (state: string, name: string) => `coalesce(json_extract(${state}, '$.counts.${name}'), 0)`;
    const sum = (name: string) => `'$.counts.${name}', ${count(saved, name)} + ${count('?1', name)}`;
    this.#saveState = database.prepare(
      `UPDATE hosts SET state = json_set(?1, ${['rate.heldUntil', 'rate.paidAt', 'rate.startedAt', 'reachedAt'].map(later).join(', ')},
         ${['requests', 'allowed', 'disallowed'].map(sum).join(', ')},
         '$.breaker', json_extract(${newer}, '$.breaker')) WHERE id = ?2`,
    );
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
    return readable(this.#states.all().map((row) => [String(row.name), row.state]));
  }

  /** Keeps what fetching learnt of hosts. */
  remember(learnt: LearntOfHosts, now: Instant): void {
    const latest = now + MOST_AHEAD_MS;
    for (const [name, state] of learnt.hosts) this.#saveState.run(JSON.stringify(state), this.idOf(name), latest);
    for (const [origin, record] of learnt.robots) this.saveRobots(origin, record);
  }

  /** What is known of robots.txt, by origin. */
  robots(): Map<string, Json> {
    return readable(this.#robots.all().map((row) => [String(row.origin), row.record]));
  }

  robotsOf(origin: string): Json | undefined {
    const row = this.#robotsOf.get(origin);
    return row === undefined || !isJson(row.record) ? undefined : readJson(row.record);
  }

  saveRobots(origin: string, record: Json): void {
    this.#saveRobots.run(origin, JSON.stringify(record));
  }

  /** Drops what was remembered of a transaction that did not come to be. */
  forget(): void {
    this.#known.clear();
  }
}

/** What cannot be read is as if it had not been saved: it is learnt again. */
function readable(rows: readonly (readonly [string, unknown])[]): Map<string, Json> {
  return new Map(rows.flatMap(([name, column]) => (isJson(column) ? [[name, readJson(column)] as const] : [])));
}

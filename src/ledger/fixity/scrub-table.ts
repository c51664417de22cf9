// How far the scrubber has come, and what it found damaged and not whole again since.

import type { Instant } from '../../platform/clock.ts';
import type { Database } from '../database.ts';
import type { EventTable } from '../event-table.ts';
import type { RunId } from '../run.ts';

/** What is looked at, in this order. */
export const SCRUB_PARTS = ['exchange', 'case_file', 'index_file'] as const;
export type ScrubPart = (typeof SCRUB_PARTS)[number];

/** By part: an id of its rows. */
export type ScrubPlaces = Readonly<Record<ScrubPart, number>>;

export interface ScrubState {
  readonly roundBeganAt: Instant;
  /** When the last whole round began; undefined before there is one. */
  readonly lastRoundAt: Instant | undefined;
  /** The last of each part that was looked at in this round. */
  readonly places: ScrubPlaces;
  /** Ever. */
  readonly checked: number;
}

export interface ScrubFinding {
  readonly part: ScrubPart;
  readonly id: number;
  readonly run: RunId | undefined;
  readonly problem: string;
}

export interface OpenFinding extends ScrubFinding {
  readonly foundAt: Instant;
}

/** One portion of the work. */
export interface ScrubResult {
  readonly state: ScrubState;
  readonly damaged: readonly ScrubFinding[];
  /** What was damaged and is whole again, or given up. */
  readonly whole: readonly Pick<ScrubFinding, 'part' | 'id'>[];
}

export class ScrubTable {
  readonly #database: Database;
  readonly #events: EventTable;

  constructor(database: Database, events: EventTable) {
    this.#database = database;
    this.#events = events;
  }

  /** Undefined before the first portion. */
  state(): ScrubState | undefined {
    const row = this.#database.prepare('SELECT * FROM scrub').get();
    if (row === undefined) return undefined;
    return {
      roundBeganAt: Number(row.round_began_at),
      lastRoundAt: row.last_round_at === null ? undefined : Number(row.last_round_at),
      places: {
        exchange: Number(row.exchange),
        case_file: Number(row.case_file),
        index_file: Number(row.index_file),
      },
      checked: Number(row.checked),
    };
  }

  /** What is damaged, the oldest finding first. */
  open(limit: number): OpenFinding[] {
    const sql = 'SELECT item, run_id, problem, found_at FROM scrub_findings ORDER BY found_at, item LIMIT ?';
    return this.#database
      .prepare(sql)
      .all(limit)
      .map((row) => {
        const [part, id] = String(row.item).split(' ');
        return {
          part: SCRUB_PARTS.find((one) => one === part) ?? 'exchange',
          id: Number(id),
          run: row.run_id === null ? undefined : (row.run_id as RunId),
          problem: String(row.problem),
          foundAt: Number(row.found_at),
        };
      });
  }

  count(): number {
    return Number(this.#database.prepare('SELECT count(*) AS n FROM scrub_findings').get()?.n);
  }

  /** Keeps what a portion came to. What is newly damaged becomes an event of its run, and is given back. */
  save({ state, damaged, whole }: ScrubResult, now: Instant): ScrubFinding[] {
    return this.#database.transaction(() => {
      const { roundBeganAt, lastRoundAt, places, checked } = state;
      this.#database
        .prepare('INSERT OR REPLACE INTO scrub VALUES (1, ?, ?, ?, ?, ?, ?)')
        .run(roundBeganAt, lastRoundAt ?? null, places.exchange, places.case_file, places.index_file, checked);
      for (const { part, id } of whole) {
        this.#database.prepare('DELETE FROM scrub_findings WHERE item = ?').run(`${part} ${id}`);
      }
      return damaged.filter((finding) => this.#add(finding, now));
    });
  }

  #add({ part, id, run, problem }: ScrubFinding, now: Instant): boolean {
    const { changes } = this.#database
      .prepare('INSERT OR IGNORE INTO scrub_findings (item, run_id, problem, found_at) VALUES (?, ?, ?, ?)')
      .run(`${part} ${id}`, run ?? null, problem, now);
    if (changes === 0) return false;
    if (run !== undefined) this.#events.add(run, undefined, { kind: 'damaged', data: { part, id, problem } }, now);
    return true;
  }
}

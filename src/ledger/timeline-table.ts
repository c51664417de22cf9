// What became of a run, and when. A stretch of time is one row for each thing counted; stretches grow with the time worked
// (1 s, 10 s, 1 min, 10 min), so that a run of a second has a curve and one of a month has few rows.

import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../platform/clock.ts';
import type { CountChanges, Counted } from './count-table.ts';
import type { Database } from './database.ts';
import type { RunId } from './run.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long a stretch is after so much time worked. */
export function stretchMs(activeMs: number): number {
  if (activeMs < 10 * MINUTE_MS) return SECOND_MS;
  if (activeMs < 2 * HOUR_MS) return 10 * SECOND_MS;
  return activeMs < 24 * HOUR_MS ? MINUTE_MS : 10 * MINUTE_MS;
}

export class TimelineTable {
  readonly #active: StatementSync;
  readonly #add: StatementSync;

  constructor(database: Database) {
    this.#active = database.prepare('SELECT active_ms FROM runs WHERE id = ?');
    this.#add = database.prepare(
      `INSERT INTO run_timeline (run_id, at, what, n) VALUES (?, ?, ?, ?)
       ON CONFLICT (run_id, at, what) DO UPDATE SET n = n + excluded.n`,
    );
  }

  add(run: RunId, changes: CountChanges, now: Instant): void {
    const length = stretchMs(Number(this.#active.get(run)?.active_ms ?? 0));
    const at = Math.floor(now / length) * length;
    const sums = new Map<Counted, number>();
    for (const [, what, n] of changes) sums.set(what, (sums.get(what) ?? 0) + n);
    for (const [what, n] of sums) if (n !== 0) this.#add.run(run, at, what, n);
  }
}

// Walks over sequential ids. Where a walk stands is written before the probes that allows, and a hit in the same
// transaction as its page: so a walk resumed is the walk that was left.

import type { StatementSync } from 'node:sqlite';
import type { Database } from './database.ts';
import type { RequestId } from './page-result.ts';
import {
  isProbeVerdict,
  type NewWalk,
  PROBE_VERDICTS,
  type ProbeCounts,
  type ProbeStretch,
  type ProbeVerdict,
  type StoredWalk,
  type WalkId,
} from './probe.ts';
import type { RunId } from './run.ts';

export class WalkTable {
  readonly #database: Database;
  readonly #insertProbe: StatementSync;
  readonly #settle: StatementSync;
  readonly #hit: StatementSync;
  readonly #find: StatementSync;
  readonly #holes: StatementSync;

  constructor(database: Database) {
    this.#database = database;
    this.#insertProbe = database.prepare(
      'INSERT OR IGNORE INTO probes (walk_id, id, request_id, verdict) VALUES (?, ?, ?, ?)',
    );
    this.#settle = database.prepare('UPDATE probes SET verdict = ? WHERE request_id = ? RETURNING walk_id, id');
    this.#hit = database.prepare('UPDATE walks SET highest_hit = max(coalesce(highest_hit, ?1), ?1) WHERE id = ?2');
    this.#find = database.prepare('SELECT * FROM walks WHERE id = ?');
    this.#holes = database.prepare(
      `SELECT id FROM probes WHERE walk_id = ?1 AND verdict = 'absent' AND id > ?2
       AND id < (SELECT highest_hit FROM walks WHERE id = ?1) ORDER BY id LIMIT ?3`,
    );
  }

  add(run: RunId, walk: NewWalk): void {
    this.#database
      .prepare(
        `INSERT INTO walks (run_id, speculator, partition, first, last, gap, max_probes, on_duplicate, holes_of, next)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        run,
        walk.speculator,
        JSON.stringify(walk.partition),
        walk.first,
        walk.last,
        walk.gap,
        walk.maxProbes ?? null,
        walk.onDuplicate,
        walk.holesOf ?? null,
        walk.first,
      );
  }

  of(run: RunId): StoredWalk[] {
    return this.#database.prepare('SELECT * FROM walks WHERE run_id = ? ORDER BY id').all(run).map(readWalk);
  }

  find(id: WalkId): StoredWalk | undefined {
    const row = this.#find.get(id);
    return row === undefined ? undefined : readWalk(row);
  }

  /** Notes that an id was asked for by a request, or what is known of it at once. */
  ask(walk: WalkId, id: number, request: RequestId, verdict: ProbeVerdict | undefined): void {
    this.#insertProbe.run(walk, id, request, verdict ?? null);
    if (verdict === 'hit') this.#hit.run(id, walk);
  }

  advance(walk: WalkId, next: number): void {
    this.#database.prepare('UPDATE walks SET next = ? WHERE id = ?').run(next, walk);
  }

  advanceHoles(walk: WalkId, upTo: number): void {
    this.#database.prepare('UPDATE walks SET holes_up_to = ? WHERE id = ?').run(upTo, walk);
  }

  /** Writes the verdict of every id that this request stands for, and gives the walks whose highest hit it may move. */
  settle(request: RequestId, verdict: ProbeVerdict): WalkId[] {
    const rows = this.#settle.all(verdict, request);
    if (verdict !== 'hit') return [];
    return rows.map((row) => {
      this.#hit.run(row.id as number, row.walk_id as number);
      return row.walk_id as WalkId;
    });
  }

  /** Ids of a walk that were absent below its highest hit, after the one given. */
  holes(walk: WalkId, after: number, limit: number): number[] {
    return this.#holes.all(walk, after, limit).map((row) => Number(row.id));
  }

  counts(walk: WalkId): ProbeCounts {
    const counts = Object.fromEntries([...PROBE_VERDICTS, 'pending'].map((verdict) => [verdict, 0])) as Record<
      ProbeVerdict | 'pending',
      number
    >;
    const rows = this.#database
      .prepare('SELECT verdict, count(*) AS n FROM probes WHERE walk_id = ? GROUP BY verdict')
      .all(walk);
    for (const { verdict, n } of rows) counts[isProbeVerdict(verdict) ? verdict : 'pending'] = Number(n);
    return counts;
  }

  /** The id space of a walk, as stretches of one verdict, in order. */
  *stretches(walk: WalkId): Generator<ProbeStretch> {
    // Gaps and islands: within a stretch, id minus its rank among equals is constant.
    const rows = this.#database
      .prepare(
        `SELECT min(id) AS "from", max(id) AS "to", verdict FROM (
           SELECT id, verdict, id - row_number() OVER (PARTITION BY verdict ORDER BY id) AS island
           FROM probes WHERE walk_id = ?)
         GROUP BY verdict, island ORDER BY "from"`,
      )
      .iterate(walk);
    for (const { from, to, verdict } of rows) {
      yield { from: Number(from), to: Number(to), verdict: isProbeVerdict(verdict) ? verdict : 'pending' };
    }
  }

  /** Ids that were refused or never answered are open again: a resume asks for them anew. */
  reopen(request: RequestId): void {
    this.#database.prepare('UPDATE probes SET verdict = NULL WHERE request_id = ?').run(request);
  }
}

function readWalk(row: Record<string, unknown>): StoredWalk {
  return {
    id: row.id as WalkId,
    speculator: String(row.speculator),
    partition: JSON.parse(String(row.partition)),
    first: Number(row.first),
    last: Number(row.last),
    gap: Number(row.gap),
    maxProbes: row.max_probes === null ? undefined : Number(row.max_probes),
    onDuplicate: row.on_duplicate === 'inherit' ? 'inherit' : 'miss',
    holesOf: row.holes_of === null ? undefined : (row.holes_of as WalkId),
    highestHit: row.highest_hit === null ? undefined : Number(row.highest_hit),
    next: Number(row.next),
    holesUpTo: row.holes_up_to === null ? undefined : Number(row.holes_up_to),
  };
}

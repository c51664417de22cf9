// Walks over sequential ids. Where a walk stands is written before the probes that allows, and a hit in the same
// transaction as its page: so a walk resumed is the walk that was left.

import type { StatementSync } from 'node:sqlite';
import type { Database } from './database.ts';
import { mergeStretches } from './merge-stretches.ts';
import type { RequestId } from './page-result.ts';
import {
  isProbeVerdict,
  type NewWalk,
  type ProbeStretch,
  type ProbeVerdict,
  type SettledProbe,
  type StoredWalk,
  sequenceKey,
  type WalkId,
} from './probe.ts';
import type { RunId } from './run.ts';
import { readJson } from './stored-json.ts';

export class WalkTable {
  readonly #database: Database;
  readonly #insertProbe: StatementSync;
  readonly #settle: StatementSync;
  readonly #waitingFor: StatementSync;
  readonly #settleOne: StatementSync;
  readonly #hit: StatementSync;
  readonly #verdict: StatementSync;

  constructor(database: Database) {
    this.#database = database;
    this.#insertProbe = database.prepare('INSERT INTO probes (walk_id, id, request_id, verdict) VALUES (?, ?, ?, ?)');
    // Duplicates have their verdict from the beginning, and keep it.
    this.#settle = database.prepare(
      'UPDATE probes SET verdict = ? WHERE request_id = ? AND verdict IS NULL RETURNING walk_id AS walk, id, verdict',
    );
    this.#waitingFor = database.prepare(
      'SELECT walk_id AS walk, id FROM probes WHERE request_id = ? AND verdict IS NULL',
    );
    this.#settleOne = database.prepare('UPDATE probes SET verdict = ? WHERE walk_id = ? AND id = ?');
    this.#hit = database.prepare('UPDATE walks SET highest_hit = max(coalesce(highest_hit, ?1), ?1) WHERE id = ?2');
    this.#verdict = database.prepare(
      "SELECT verdict FROM probes WHERE request_id = ? AND verdict <> 'duplicate' LIMIT 1",
    );
  }

  add(run: RunId, walk: NewWalk): void {
    this.#database
      .prepare(
        `INSERT INTO walks (run_id, speculator, partition, first, last, gap, max_probes, on_duplicate, holes_of, next,
           declared_highest, declared_gap)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
        walk.declared?.highestObserved ?? null,
        walk.declared?.largestObservedGap ?? null,
      );
  }

  of(run: RunId): StoredWalk[] {
    return this.#database.prepare('SELECT * FROM walks WHERE run_id = ? ORDER BY id').all(run).map(readWalk);
  }

  /**
   * All walks of a scraper, whatever became of their runs, by what they walk over (`sequenceKey`), the oldest first. A
   * replay asks nobody and does not count; neither does a file that has a class of the same name.
   */
  sequencesOf(name: string, source: string | undefined): Map<string, StoredWalk[]> {
    const walks = this.#database
      .prepare(
        `SELECT walks.* FROM walks JOIN runs ON runs.id = run_id
         WHERE kind = 'scraper' AND name = ?1 AND (?2 IS NULL OR source IS NULL OR source = ?2) ORDER BY walks.id`,
      )
      .all(name, source ?? null)
      .map(readWalk);
    return Map.groupBy(walks, sequenceKey);
  }

  /** The walks over the same ids in runs of the same scraper, up to the one of id `upTo`, the oldest first. Never itself. */
  before({ id, run, speculator, partition }: StoredWalk, upTo: WalkId): StoredWalk[] {
    return this.#database
      .prepare(
        `SELECT walks.* FROM runs AS mine JOIN runs ON runs.name = mine.name
         AND (mine.source IS NULL OR runs.source IS NULL OR runs.source = mine.source)
         JOIN walks ON walks.run_id = runs.id AND speculator = ?2 AND partition = ?3
         WHERE mine.id = ?1 AND runs.kind = 'scraper' AND walks.id <= ?4 AND walks.id <> ?5 ORDER BY walks.id`,
      )
      .all(run, speculator, JSON.stringify(partition), upTo, id)
      .map(readWalk);
  }

  /** Notes that an id was asked for by a request, or what is known of it at once. */
  ask(walk: WalkId, id: number, request: RequestId, verdict: ProbeVerdict | undefined): void {
    this.#insertProbe.run(walk, id, request, verdict ?? null);
    if (verdict === 'hit') this.#hit.run(id, walk);
  }

  /** Writes how far the walk has come: along its ids, and through the holes of an earlier one. */
  advance({ id, next, holesUpTo }: StoredWalk): void {
    this.#database.prepare('UPDATE walks SET next = ?, holes_up_to = ? WHERE id = ?').run(next, holesUpTo ?? null, id);
  }

  /** What a request said about the id it was made for; undefined while it is pending, or when it is no probe. */
  verdictOf(request: RequestId): ProbeVerdict | undefined {
    const verdict = this.#verdict.get(request)?.verdict;
    return isProbeVerdict(verdict) ? verdict : undefined;
  }

  /** Writes the verdict of every id that waits for this request, and gives these ids. */
  settle(request: RequestId, verdict: ProbeVerdict): SettledProbe[] {
    const settled = this.#settle.all(verdict, request) as unknown as SettledProbe[];
    if (verdict === 'hit') for (const { walk, id } of settled) this.#hit.run(id, walk);
    return settled;
  }

  /** The ids that wait for this request. */
  waitingFor(request: RequestId): { readonly walk: WalkId; readonly id: number }[] {
    return this.#waitingFor.all(request) as unknown as { walk: WalkId; id: number }[];
  }

  /** Writes the verdict of one id that waits. */
  settleOne(walk: WalkId, id: number, verdict: ProbeVerdict): void {
    this.#settleOne.run(verdict, walk, id);
    if (verdict === 'hit') this.#hit.run(id, walk);
  }

  /** How many ids of a walk were asked for and have not settled. A resume begins with it: by the index, not by all ids. */
  waiting(walk: WalkId): number {
    return Number(
      this.#database
        .prepare('SELECT count(*) AS n FROM probes INDEXED BY probes_open WHERE walk_id = ? AND verdict IS NULL')
        .get(walk)?.n,
    );
  }

  /** Ids that were refused or never answered are open again: a resume asks for them anew. */
  reopen(request: RequestId): void {
    this.#database
      .prepare("UPDATE probes SET verdict = NULL WHERE request_id = ? AND verdict <> 'duplicate'")
      .run(request);
  }

  /** The ids that a walk asked for, from `from` on, as stretches of one verdict, in order. */
  *stretches(walk: WalkId, from = Number.MIN_SAFE_INTEGER): Generator<ProbeStretch> {
    // Folded here: half the time that SQL needs for it (gaps and islands), and nothing is sorted.
    const rows = this.#database.prepare('SELECT id, verdict FROM probes WHERE walk_id = ? AND id >= ? ORDER BY id');
    rows.setReturnArrays(true);
    let open: { from: number; to: number; verdict: ProbeStretch['verdict'] } | undefined;
    for (const row of rows.iterate(walk, from) as Iterable<unknown>) {
      const [id, written] = row as [number, string | null];
      const verdict = isProbeVerdict(written) ? written : 'pending';
      if (open !== undefined && open.verdict === verdict && open.to === id - 1) open.to = id;
      else {
        if (open !== undefined) yield open;
        open = { from: id, to: id, verdict };
      }
    }
    if (open !== undefined) yield open;
  }

  /** What walks over the same ids know together, the oldest first. */
  knownStretches(walks: readonly StoredWalk[], from?: number): Generator<ProbeStretch> {
    return mergeStretches(walks.map(({ id }) => this.stretches(id, from)));
  }
}

function readWalk(row: Record<string, unknown>): StoredWalk {
  return {
    id: row.id as WalkId,
    run: row.run_id as RunId,
    speculator: String(row.speculator),
    partition: readPartition(row.partition),
    first: Number(row.first),
    last: Number(row.last),
    gap: Number(row.gap),
    maxProbes: row.max_probes === null ? undefined : Number(row.max_probes),
    onDuplicate: row.on_duplicate === 'inherit' ? 'inherit' : 'miss',
    declared:
      row.declared_highest === null || row.declared_gap === null
        ? undefined
        : { highestObserved: Number(row.declared_highest), largestObservedGap: Number(row.declared_gap) },
    holesOf: row.holes_of === null ? undefined : (row.holes_of as WalkId),
    highestHit: row.highest_hit === null ? undefined : Number(row.highest_hit),
    next: Number(row.next),
    holesUpTo: row.holes_up_to === null ? undefined : Number(row.holes_up_to),
  };
}

/** One that cannot be read is shown as `unreadable=…`; nobody can take a run that has it. */
export function readPartition(column: unknown): StoredWalk['partition'] {
  return readJson(column) as StoredWalk['partition'];
}

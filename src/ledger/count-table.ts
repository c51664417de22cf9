// What the requests of a run have come to, per host, and how many records they gave. Changes are gathered and written once
// per transaction.

import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../platform/clock.ts';
import type { Database } from './database.ts';
import type { HostId } from './page-result.ts';
import type { RunId } from './run.ts';
import { TimelineTable } from './timeline-table.ts';
import { isVerdict, NO_COUNTS, type Verdict, type VerdictCounts } from './verdict.ts';

/** `record` counts all records, `invalid` those among them that do not fit their schema. */
export type Counted = Verdict | 'pending' | 'record' | 'invalid';

export interface HostCounts {
  readonly hostId: HostId;
  readonly host: string;
  readonly counts: VerdictCounts;
}

export class CountTable {
  readonly #add: StatementSync;
  readonly #byHost: StatementSync;
  readonly #timeline: TimelineTable;

  constructor(database: Database) {
    this.#timeline = new TimelineTable(database);
    this.#add = database.prepare(
      `INSERT INTO run_counts (run_id, host_id, verdict, n) VALUES (?, ?, ?, ?)
       ON CONFLICT (run_id, host_id, verdict) DO UPDATE SET n = n + excluded.n`,
    );
    this.#byHost = database.prepare(
      `SELECT host_id, name, verdict, n FROM run_counts JOIN hosts ON hosts.id = host_id
       WHERE run_id = ? ORDER BY host_id`,
    );
  }

  add(run: RunId, changes: CountChanges, now: Instant): void {
    for (const [host, verdict, n] of changes) this.#add.run(run, host, verdict, n);
    this.#timeline.add(run, changes, now);
  }

  byHost(run: RunId): HostCounts[] {
    const hosts = new Map<HostId, { hostId: HostId; host: string; counts: Record<keyof VerdictCounts, number> }>();
    for (const row of this.#byHost.all(run)) {
      const hostId = row.host_id as HostId;
      const entry = hosts.get(hostId) ?? { hostId, host: String(row.name), counts: { ...NO_COUNTS } };
      hosts.set(hostId, entry);
      if (row.verdict === 'pending' || isVerdict(row.verdict)) entry.counts[row.verdict] = Number(row.n);
    }
    return [...hosts.values()];
  }
}

/** Gathers changes of counts, so that many become one write. */
export class CountChanges {
  readonly #changes = new Map<HostId, Map<Counted, number>>();

  add(host: HostId, verdict: Counted, n: number): void {
    const ofHost = this.#changes.get(host) ?? new Map<Counted, number>();
    this.#changes.set(host, ofHost);
    ofHost.set(verdict, (ofHost.get(verdict) ?? 0) + n);
  }

  *[Symbol.iterator](): Generator<[HostId, Counted, number]> {
    for (const [host, verdicts] of this.#changes) {
      for (const [verdict, n] of verdicts) if (n !== 0) yield [host, verdict, n];
    }
  }
}

/** Sums counts over hosts. */
export function totalOf(hosts: readonly HostCounts[]): VerdictCounts {
  const total = { ...NO_COUNTS } as Record<keyof VerdictCounts, number>;
  for (const { counts } of hosts) {
    for (const verdict of Object.keys(counts) as (keyof VerdictCounts)[]) total[verdict] += counts[verdict];
  }
  return total;
}

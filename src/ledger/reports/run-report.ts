// Runs as lists show them: what they are, what they came to by now, and who works on them.

import type { Instant } from '../../platform/clock.ts';
import { lookUpProcess, type ProcessIdentity } from '../../platform/process-identity.ts';
import type { RunStatus } from '../health.ts';
import type { LedgerTables } from '../ledger-tables.ts';
import type { Run, RunId, RunKind } from '../run.ts';
import { OWNER_SILENT_MS } from '../run-ownership.ts';
import { readRun } from '../run-table.ts';
import { isVerdict, NO_COUNTS, type VerdictCounts } from '../verdict.ts';
import { escapeLike } from './list-rows.ts';
import { UNHAPPY } from './request-report.ts';

export interface ReportedRun extends Run {
  readonly mode: string;
  readonly csvVersionId: number | undefined;
  readonly coverage:
    | {
        readonly casesTotal: number;
        readonly casesPlanned: number;
        readonly casesAttempted: number;
        readonly ratio: number;
      }
    | undefined;
}

export interface RunCounts {
  readonly requests: VerdictCounts;
  readonly records: number;
  readonly invalid: number;
}

/** `gone`: its process is dead. `silent`: it is on another machine, and was not heard of for long. `none`: given back. */
export interface OwnerReport {
  readonly state: 'alive' | 'gone' | 'silent' | 'none';
  readonly holder: ProcessIdentity | undefined;
  readonly heartbeatAt: Instant | undefined;
}

export interface OwnedRun {
  readonly run: ReportedRun;
  readonly owner: OwnerReport;
}

export interface RunFilter {
  readonly kind?: RunKind | undefined;
  readonly statuses?: readonly RunStatus[] | undefined;
  /** Part of the name. */
  readonly search?: string | undefined;
  /** Only runs with a smaller id. */
  readonly before?: number | undefined;
}

/** Null for an owner that cannot be read. */
const OWNER_PID = `CASE WHEN json_valid(owner) THEN owner ->> 'pid' END`;

export class RunReport {
  readonly #tables: LedgerTables;

  constructor(tables: LedgerTables) {
    this.#tables = tables;
  }

  find(id: number): ReportedRun | undefined {
    const row = this.#tables.database.prepare('SELECT * FROM runs WHERE id = ?').get(id);
    return row === undefined ? undefined : readReported(row);
  }

  /** Newest first. */
  list({ kind, statuses, search, before }: RunFilter, limit: number): ReportedRun[] {
    return this.#tables.database
      .prepare(
        `SELECT * FROM runs WHERE id < ?1 AND (?2 IS NULL OR kind = ?2)
         AND (?3 IS NULL OR status IN (SELECT value FROM json_each(?3)))
         AND (?4 IS NULL OR name LIKE ?4 ESCAPE '\\') ORDER BY id DESC LIMIT ?5`,
      )
      .all(
        before ?? Number.MAX_SAFE_INTEGER,
        kind ?? null,
        statuses === undefined ? null : JSON.stringify(statuses),
        search === undefined ? null : escapeLike(search),
        limit,
      )
      .map(readReported);
  }

  /** The latest run of each kind and name, newest first. */
  latestOfEach(): ReportedRun[] {
    return this.#tables.database
      .prepare('SELECT * FROM runs WHERE id IN (SELECT max(id) FROM runs GROUP BY kind, name) ORDER BY id DESC')
      .all()
      .map(readReported);
  }

  /** Of each kind and name the newest run that has ended, and all that were begun after it; newest first. */
  current(): ReportedRun[] {
    return this.#tables.database
      .prepare(
        `WITH ended AS (SELECT kind, name, max(id) AS last FROM runs WHERE status <> 'running' GROUP BY kind, name)
         SELECT runs.* FROM runs LEFT JOIN ended USING (kind, name) WHERE id >= coalesce(last, 0) ORDER BY id DESC`,
      )
      .all()
      .map(readReported);
  }

  countBy(): { readonly kind: string; readonly status: string; readonly n: number }[] {
    return this.#tables.database
      .prepare('SELECT kind, status, count(*) AS n FROM runs GROUP BY kind, status')
      .all()
      .map((row) => ({ kind: String(row.kind), status: String(row.status), n: Number(row.n) }));
  }

  counts(id: RunId): RunCounts {
    const requests: Record<keyof VerdictCounts, number> = { ...NO_COUNTS };
    let [records, invalid] = [0, 0];
    const rows = this.#tables.database
      .prepare('SELECT verdict, sum(n) AS n FROM run_counts WHERE run_id = ? GROUP BY verdict')
      .all(id);
    for (const { verdict, n } of rows) {
      if (verdict === 'pending' || isVerdict(verdict)) requests[verdict] = Number(n);
      else if (verdict === 'record') records = Number(n);
      else if (verdict === 'invalid') invalid = Number(n);
    }
    return { requests, records, invalid };
  }

  ownerOf(id: RunId, now: Instant): OwnerReport {
    return judge(this.#tables.ownership.lastHolder(id), now);
  }

  ownerOfWalk(site: string, now: Instant): OwnerReport {
    return judge(this.#tables.sites.ownership.lastHolder(site), now);
  }

  /** What a living process of this machine works on. Others that had its number before do not count. */
  ownedBy(pid: number, now: Instant): { readonly run?: ReportedRun; readonly site?: string } {
    const row = this.#tables.database
      .prepare(
        `SELECT runs.* FROM runs JOIN run_owners ON run_id = runs.id
         WHERE ${OWNER_PID} = ? ORDER BY runs.id DESC LIMIT 1`,
      )
      .get(pid);
    const run = row === undefined ? undefined : readReported(row);
    if (run !== undefined && this.ownerOf(run.id, now).state === 'alive') return { run };
    const sites = this.#tables.database.prepare(`SELECT site_id FROM site_owners WHERE ${OWNER_PID} = ?`).all(pid);
    const site = sites.map((found) => String(found.site_id)).find((id) => this.ownerOfWalk(id, now).state === 'alive');
    return site === undefined ? {} : { site };
  }

  /** When the first of the run's requests of that verdict was last answered. */
  firstAnswerOf(id: RunId, verdict: 'failed' | 'blocked' | 'unknown'): Instant | undefined {
    const row = this.#tables.database
      .prepare(
        `SELECT at FROM exchanges WHERE request_id =
           (SELECT min(id) FROM requests WHERE run_id = ? AND ${UNHAPPY} AND verdict = ?) ORDER BY id DESC LIMIT 1`,
      )
      .get(id, verdict);
    return row === undefined ? undefined : Number(row.at);
  }
}

function judge(
  last: { readonly holder: ProcessIdentity; readonly heartbeatAt: Instant } | undefined,
  now: Instant,
): OwnerReport {
  if (last === undefined) return { state: 'none', holder: undefined, heartbeatAt: undefined };
  if (lookUpProcess(last.holder) === 'dead') return { state: 'gone', ...last };
  return { state: now - last.heartbeatAt >= OWNER_SILENT_MS ? 'silent' : 'alive', ...last };
}

function readReported(row: Record<string, unknown>): ReportedRun {
  const coverage = {
    casesTotal: Number(row.cases_total),
    casesPlanned: Number(row.cases_planned),
    casesAttempted: Number(row.cases_attempted),
    ratio: Number(row.coverage_ratio),
  };
  return {
    ...readRun(row),
    mode: String(row.mode),
    csvVersionId: row.csv_version_id === null ? undefined : Number(row.csv_version_id),
    coverage: row.cases_attempted === null ? undefined : coverage,
  };
}

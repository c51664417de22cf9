// The requests of a run as lists show them, and all that is known of one.

import type { Instant } from '../../platform/clock.ts';
import type { Database } from '../database.ts';
import type { RequestId } from '../page-result.ts';
import { partitionName } from '../probe.ts';
import type { RunId } from '../run.ts';
import { isVerdict, type Verdict } from '../verdict.ts';
import { readPartition } from '../walk-table.ts';
import { type Condition, escapeLike, type Listed } from './list-rows.ts';

const REQUEST_STATES = ['ready', 'claimed', 'delayed', 'settled', 'set_aside'] as const;

export interface RequestReportRow {
  readonly id: RequestId;
  readonly method: string;
  readonly url: string;
  readonly host: string;
  readonly step: string | undefined;
  readonly state: (typeof REQUEST_STATES)[number];
  readonly verdict: Verdict | undefined;
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly attempts: number;
  readonly dueAt: Instant | undefined;
  readonly depth: number;
  readonly parent: RequestId | undefined;
}

export interface RequestFilter {
  readonly verdict?: Verdict | 'pending' | undefined;
  readonly host?: string | undefined;
  readonly step?: string | undefined;
  readonly reason?: string | undefined;
  /** Part of the address or the reason. */
  readonly search?: string | undefined;
}

/** As the index `requests_unhappy` says it: SQLite uses a partial index only for what is said in its own words. */
export const UNHAPPY = `verdict IN ('skipped', 'failed', 'blocked', 'unknown')`;

function isUnhappy(verdict: Verdict | 'pending' | undefined): verdict is Exclude<Verdict, 'done' | 'absent'> {
  return verdict !== undefined && verdict !== 'pending' && verdict !== 'done' && verdict !== 'absent';
}

export function listedRequests(run: RunId, { verdict, host, step, reason, search }: RequestFilter): Listed {
  const conditions: Condition[] = [];
  if (verdict === 'pending') conditions.push({ sql: 'verdict IS NULL', values: [] });
  else if (verdict === 'done' || verdict === 'absent') conditions.push({ sql: 'verdict = ?', values: [verdict] });
  const indexed = isUnhappy(verdict) ? { sql: `${UNHAPPY} AND verdict = ?`, values: [verdict] } : undefined;
  if (host !== undefined) {
    conditions.push({ sql: 'host_id = (SELECT hosts.id FROM hosts WHERE name = ?)', values: [host] });
  }
  if (step !== undefined) conditions.push({ sql: 'step = ?', values: [step] });
  if (reason !== undefined) conditions.push({ sql: 'reason = ?', values: [reason] });
  if (search !== undefined) {
    const pattern = escapeLike(search);
    conditions.push({
      sql: `url LIKE ? ESCAPE '\\' OR reason LIKE ? ESCAPE '\\'`,
      values: [pattern, pattern],
    });
  }
  return { table: 'requests', run, conditions, indexed };
}

export class RequestReport {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** In the order of `ids`; those that are not there are left out. */
  rows(ids: readonly number[]): RequestReportRow[] {
    const rows = this.#database
      .prepare(
        `SELECT requests.*, name FROM requests JOIN hosts ON hosts.id = host_id
         WHERE requests.id IN (SELECT value FROM json_each(?))`,
      )
      .all(JSON.stringify(ids))
      .map(readRequest);
    const byId = new Map(rows.map((row) => [Number(row.id), row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  }

  find(run: RunId, id: number): RequestReportRow | undefined {
    const row = this.#database
      .prepare(
        `SELECT requests.*, name FROM requests JOIN hosts ON hosts.id = host_id WHERE requests.id = ? AND run_id = ?`,
      )
      .get(id, run);
    return row === undefined ? undefined : readRequest(row);
  }

  /** Ids of walks that a request stands for. */
  probesOf(request: RequestId): {
    readonly speculator: string;
    readonly partition: string;
    readonly id: number;
    readonly verdict: string | undefined;
  }[] {
    return this.#database
      .prepare(
        `SELECT speculator, partition, probes.id, verdict FROM probes JOIN walks ON walks.id = walk_id
         WHERE request_id = ? ORDER BY walk_id`,
      )
      .all(request)
      .map((row) => ({
        speculator: String(row.speculator),
        partition: partitionName(readPartition(row.partition)),
        id: Number(row.id),
        verdict: row.verdict === null ? undefined : String(row.verdict),
      }));
  }

  /** Start pages of a site that listed a request. */
  startPagesOf(run: RunId, request: RequestId): string[] {
    return this.#database
      .prepare('SELECT start_page FROM site_items WHERE run_id = ? AND request_id = ? ORDER BY ordinal')
      .all(run, request)
      .map((row) => String(row.start_page));
  }

  /** How many items of a site's run came from each of its start pages. */
  startPages(run: RunId): { readonly url: string; readonly items: number }[] {
    return this.#database
      .prepare(
        'SELECT start_page, count(*) AS n FROM site_items WHERE run_id = ? GROUP BY ordinal, start_page ORDER BY ordinal',
      )
      .all(run)
      .map((row) => ({ url: String(row.start_page), items: Number(row.n) }));
  }
}

function readRequest(row: Record<string, unknown>): RequestReportRow {
  const state = REQUEST_STATES[Number(row.state)] ?? 'settled';
  return {
    id: row.id as RequestId,
    method: String(row.method),
    url: String(row.url),
    host: String(row.name),
    step: row.step === null ? undefined : String(row.step),
    state,
    verdict: isVerdict(row.verdict) ? row.verdict : undefined,
    status: row.status === null ? undefined : Number(row.status),
    reason: row.reason === null ? undefined : String(row.reason),
    attempts: Number(row.attempts),
    dueAt: state === 'delayed' ? Number(row.due_at) : undefined,
    depth: Number(row.depth),
    parent: row.parent_id === null ? undefined : (row.parent_id as RequestId),
  };
}

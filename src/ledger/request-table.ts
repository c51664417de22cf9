// The queue of a run, and what became of each request. Written only inside a transaction of the run's owner.

import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../platform/clock.ts';
import type { Database } from './database.ts';
import { HashFilter } from './hash-filter.ts';
import type { ClaimedRequest, HostId, NewRequest, PageResult, RequestId, Settlement } from './page-result.ts';
import { RecentReadings } from './recent-readings.ts';
import type { WhichRequests } from './reopen-requests.ts';
import { encodeRequest } from './request-codec.ts';
import { CLAIMED_COLUMNS, MOST_DEATHS, type ReadyRow, type RowWithHost, readRequest, State } from './request-row.ts';
import type { RunId } from './run.ts';
import { isVerdict, type Verdict } from './verdict.ts';

export interface RequestFate {
  readonly id: RequestId;
  /** Undefined while it is pending. */
  readonly verdict: Verdict | undefined;
  readonly status: number | undefined;
  readonly reason: string | undefined;
}

/** A request that is in the queue again, and what had become of it. */
export interface ReopenedRequest {
  readonly id: RequestId;
  readonly hostId: HostId;
  readonly verdict: Verdict;
}

export interface Problem {
  readonly verdict: string;
  readonly reason: string | undefined;
  readonly step: string | undefined;
  readonly count: number;
  /** The first request of that kind, if there is one, and its address. */
  readonly request: RequestId | undefined;
  readonly example: string;
}

export class RequestTable {
  readonly #isEmpty: StatementSync;
  readonly #readingOf: StatementSync;
  readonly #insert: StatementSync;
  readonly #conflict: StatementSync;
  readonly #select: StatementSync;
  readonly #claim: StatementSync;
  readonly #promote: StatementSync;
  readonly #nextDue: StatementSync;
  readonly #settle: StatementSync;
  readonly #delay: StatementSync;
  readonly #park: StatementSync;
  readonly #return: StatementSync;
  readonly #returnAll: StatementSync;
  readonly #died: StatementSync;
  readonly #setAside: StatementSync;
  readonly #countSetAside: StatementSync;
  readonly #fate: StatementSync;
  readonly #firstAt: StatementSync;
  readonly #conflicting: StatementSync;
  readonly #unanswered: StatementSync;
  readonly #stepsToCome: StatementSync;
  readonly #overrule: StatementSync;
  readonly #reopen: StatementSync;
  readonly #reopenable: StatementSync;
  readonly #settled: StatementSync;
  readonly #find: StatementSync;
  readonly #problems: StatementSync;
  /** The run that was added to last, and what is known of its requests. */
  #knownRun: RunId | undefined;
  readonly #recent = new RecentReadings();
  /** All that were added, when the run began here: what is not among them is new unless another process was faster. */
  #added: HashFilter | undefined;

  constructor(database: Database) {
    this.#isEmpty = database.prepare('SELECT NOT EXISTS (SELECT 1 FROM requests WHERE run_id = ?) AS empty');
    this.#readingOf = database.prepare('SELECT reading FROM requests WHERE run_id = ? AND identity = ?');
    this.#readingOf.setReturnArrays(true);
    this.#insert = database.prepare(
      `INSERT INTO requests (run_id, host_id, state, priority, depth, identity, reading, parent_id, method, url, step, extra)
       VALUES (?, ?, ${State.ready}, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id, identity) DO NOTHING`,
    );
    this.#conflict = database.prepare(
      'UPDATE requests SET conflicts = conflicts + 1 WHERE run_id = ? AND identity = ?',
    );
    // Many at a time: calling a statement takes longer than what these do.
    const these = 'id IN (SELECT value FROM json_each(?))';
    // An expression for the limit: SQLite plans a query anew for every value of a bare one.
    this.#select = database.prepare(
      `SELECT ${CLAIMED_COLUMNS} FROM requests
       WHERE run_id = ? AND host_id = ? AND state = ${State.ready}
       ORDER BY priority DESC, depth DESC, id LIMIT 0 + ?`,
    );
    this.#select.setReturnArrays(true);
    this.#claim = database.prepare(`UPDATE requests SET state = ${State.claimed} WHERE ${these}`);
    this.#promote = database.prepare(
      `UPDATE requests SET state = ${State.ready}
       WHERE run_id = ? AND host_id = ? AND state = ${State.delayed} AND due_at <= ?`,
    );
    this.#nextDue = database.prepare(
      `SELECT min(due_at) AS due FROM requests WHERE run_id = ? AND host_id = ? AND state = ${State.delayed}`,
    );
    this.#settle = database.prepare(
      `UPDATE requests SET state = ${State.settled}, attempts = attempts + 1, verdict = ?, status = ?, reason = ? WHERE ${these}`,
    );
    this.#delay = database.prepare(
      `UPDATE requests SET state = ${State.delayed}, attempts = attempts + 1, due_at = ?, reason = ? WHERE ${these}`,
    );
    this.#park = database.prepare(
      `UPDATE requests SET state = ${State.delayed}, due_at = ?, reason = ? WHERE ${these}`,
    );
    this.#return = database.prepare(`UPDATE requests SET state = ${State.ready} WHERE ${these}`);
    const back = `state = iif(deaths >= ${MOST_DEATHS}, ${State.setAside}, ${State.ready})`;
    this.#returnAll = database.prepare(`UPDATE requests SET ${back} WHERE run_id = ? AND state = ${State.claimed}`);
    this.#died = database.prepare(
      `UPDATE requests SET deaths = deaths + 1 WHERE run_id = ? AND state = ${State.claimed}
       RETURNING id, deaths = ${MOST_DEATHS} AS is_enough`,
    );
    this.#setAside = database.prepare(
      `SELECT ${CLAIMED_COLUMNS}, host_id FROM requests
       WHERE run_id = ? AND state = ${State.setAside} ORDER BY deaths, id LIMIT 1`,
    );
    this.#setAside.setReturnArrays(true);
    this.#countSetAside = database.prepare(
      `SELECT count(*) AS n FROM requests WHERE run_id = ? AND state = ${State.setAside}`,
    );
    this.#fate = database.prepare('SELECT id, verdict, status, reason FROM requests WHERE run_id = ? AND identity = ?');
    // A page that failed only because the scraper had lost its step was never read (older versions let that happen).
    const unanswered = `run_id = ?1 AND verdict IN ('blocked', 'unknown', 'failed')
       AND (verdict <> 'failed' OR instr(reason, 'has no step named ' || step || '.') > 0)`;
    this.#unanswered = database.prepare(`SELECT id, host_id, verdict FROM requests WHERE ${unanswered}`);
    const open = [State.ready, State.claimed, State.delayed, State.setAside].map(
      (state) => `SELECT step FROM requests WHERE run_id = ?1 AND state = ${state} UNION ALL`,
    );
    this.#stepsToCome = database.prepare(
      `SELECT step, count(*) AS n FROM (${open.join(' ')} SELECT step FROM requests WHERE ${unanswered})
       WHERE step IS NOT NULL GROUP BY step ORDER BY n DESC, step`,
    );
    this.#overrule = database.prepare(
      'UPDATE requests SET verdict = ?, reason = ? WHERE run_id = ? AND id = ? RETURNING host_id',
    );
    this.#reopen = database.prepare(
      `UPDATE requests SET state = ${State.ready}, attempts = 0, verdict = NULL, status = NULL, reason = NULL WHERE id = ?`,
    );
    this.#find = database.prepare(`SELECT ${CLAIMED_COLUMNS}, host_id FROM requests WHERE id = ?`);
    this.#find.setReturnArrays(true);
    this.#settled = database.prepare(
      `SELECT id, host_id, verdict FROM requests WHERE id = ? AND state = ${State.settled}`,
    );
    // `IS` holds for null too. By id, or by what became of it.
    this.#reopenable = database.prepare(
      `SELECT id, host_id, verdict FROM requests WHERE run_id = ?1 AND verdict <> 'done' AND id = ?2
       UNION ALL
       SELECT id, host_id, verdict FROM requests WHERE run_id = ?1 AND verdict = ?3
       AND (?4 OR reason IS ?5) AND (?6 OR step IS ?7)`,
    );
    this.#firstAt = database.prepare(
      `SELECT id FROM requests WHERE run_id = ? AND url = ? UNION ALL
       SELECT request_id FROM exchanges WHERE url = ? AND request_id IN (SELECT id FROM requests WHERE run_id = ?)
       LIMIT 1`,
    );
    this.#conflicting = database.prepare(
      'SELECT count(*) AS n, min(url) AS example FROM requests WHERE run_id = ? AND conflicts > 0',
    );
    this.#problems = database.prepare(
      // SQLite takes bare columns (url) from the row that has the minimum.
      `SELECT verdict, reason, step, count(*) AS n, min(id) AS request, url FROM requests
       WHERE run_id = ? AND verdict IN ('skipped', 'failed', 'blocked', 'unknown')
       GROUP BY verdict, reason, step ORDER BY n DESC, verdict, reason LIMIT ?`,
    );
  }

  /** Adds a request to the queue. False when the run has one of that identity already. */
  add(run: RunId, host: HostId, request: NewRequest, parent: RequestId | undefined): boolean {
    // Most links of a site lead to pages that are known, and looking costs a quarter of an insert that conflicts.
    const { identity, reading } = request;
    const known = this.#readingIn(run, identity);
    if (known === undefined && this.#addNew(run, host, request, parent)) {
      this.#recent.set(identity, reading);
      this.#added?.add(identity);
      return true;
    }
    if ((known ?? this.#storedReading(run, identity)) !== reading) this.#conflict.run(run, identity);
    return false;
  }

  /** Drops what was remembered of a transaction that did not come to be. */
  forget(): void {
    this.#recent.clear();
  }

  /** What the request of that identity is read as; undefined when the run has none, as far as this process knows. */
  #readingIn(run: RunId, identity: Uint8Array): number | undefined {
    if (run !== this.#knownRun) {
      this.forget();
      this.#added = this.#isEmpty.get(run)?.empty === 1 ? new HashFilter() : undefined;
      this.#knownRun = run;
    }
    const recent = this.#recent.get(identity);
    if (recent !== undefined || this.#added?.mayHave(identity) === false) return recent;
    return this.#storedReading(run, identity);
  }

  #storedReading(run: RunId, identity: Uint8Array): number | undefined {
    const row = this.#readingOf.get(run, identity) as unknown as readonly [reading: number] | undefined;
    if (row !== undefined) this.#recent.set(identity, row[0]);
    return row?.[0];
  }

  /** False when the run has it after all. */
  #addNew(run: RunId, host: HostId, request: NewRequest, parent: RequestId | undefined): boolean {
    const row = encodeRequest(request.spec);
    const { changes } = this.#insert.run(
      run,
      host,
      row.priority,
      row.depth,
      request.identity,
      request.reading,
      parent ?? null,
      row.method,
      row.url,
      row.step,
      row.extra,
    );
    return changes === 1;
  }

  /** Hands out up to `limit` requests of a host: highest priority first, then deepest, then oldest. */
  claim(run: RunId, host: HostId, limit: number): ClaimedRequest[] {
    const rows = this.#select.all(run, host, limit) as unknown as readonly ReadyRow[];
    if (rows.length > 0) this.#claim.run(JSON.stringify(rows.map(([id]) => id)));
    return rows.map((row) => readRequest(row, host));
  }

  /** A request, whatever became of it. */
  find(id: RequestId): ClaimedRequest | undefined {
    const row = this.#find.get(id) as unknown as RowWithHost | undefined;
    return row === undefined ? undefined : readRequest(row, row[10]);
  }

  /** Hands out one of those that were set aside; undefined when there is none. */
  claimSetAside(run: RunId): ClaimedRequest | undefined {
    const row = this.#setAside.get(run) as unknown as RowWithHost | undefined;
    if (row === undefined) return undefined;
    this.#claim.run(JSON.stringify([row[0]]));
    return readRequest(row, row[10]);
  }

  /** How many are set aside. */
  countSetAside(run: RunId): number {
    return Number(this.#countSetAside.get(run)?.n);
  }

  /** Makes delayed requests ready whose time has come. */
  promoteDue(run: RunId, host: HostId, now: Instant): void {
    this.#promote.run(run, host, now);
  }

  /** When the next delayed request of a host is due. */
  nextDue(run: RunId, host: HostId): Instant | undefined {
    const due = this.#nextDue.get(run, host)?.due;
    return due === null || due === undefined ? undefined : Number(due);
  }

  /** Writes down what became of requests; all that came to the same at once. */
  settle(pages: readonly Pick<PageResult, 'request' | 'settlement'>[]): void {
    for (const alike of Map.groupBy(pages, ({ settlement }) => JSON.stringify(settlement)).values()) {
      const ids = JSON.stringify(alike.map(({ request }) => request.id));
      if (alike[0] !== undefined) this.#settleAlike(ids, alike[0].settlement);
    }
  }

  #settleAlike(ids: string, settlement: Settlement): void {
    switch (settlement.kind) {
      case 'settled':
        this.#settle.run(settlement.verdict, settlement.status ?? null, settlement.reason ?? null, ids);
        return;
      case 'delayed':
        this.#delay.run(settlement.dueAt, settlement.reason, ids);
        return;
      case 'parked':
        this.#park.run(settlement.dueAt, settlement.reason, ids);
        return;
      case 'returned':
        this.#return.run(ids);
        return;
    }
  }

  /** The steps that requests lead to which a resume would make or make again, and how many of these there are. */
  stepsToCome(run: RunId): { readonly step: string; readonly count: number }[] {
    return this.#stepsToCome.all(run).map((row) => ({ step: String(row.step), count: Number(row.n) }));
  }

  /** Makes requests ready again that were refused, never answered or never read, and gives what they were. */
  reopenUnanswered(run: RunId): ReopenedRequest[] {
    return this.#unanswered.all(run).map((row) => this.#makeReady(row));
  }

  /** Makes requests ready again that came to something else than `done`, and gives what they were. */
  reopen(run: RunId, which: WhichRequests): ReopenedRequest[] {
    const group = 'request' in which ? undefined : which;
    return this.#reopenable
      .all(
        run,
        'request' in which ? which.request : null,
        group?.verdict ?? null,
        group?.reason === undefined ? 1 : 0,
        group?.reason ?? null,
        group?.step === undefined ? 1 : 0,
        group?.step ?? null,
      )
      .map((row) => this.#makeReady(row));
  }

  /** Makes a request ready again, whatever it came to, and gives what it was; undefined when it is in the queue. */
  reopenSettled(id: RequestId): ReopenedRequest | undefined {
    const row = this.#settled.get(id);
    return row === undefined ? undefined : this.#makeReady(row);
  }

  #makeReady(row: Record<string, unknown>): ReopenedRequest {
    this.#reopen.run(row.id as number);
    return { id: row.id as RequestId, hostId: row.host_id as HostId, verdict: row.verdict as Verdict };
  }

  /** Changes what became of a settled request, and gives its host. */
  overrule(run: RunId, id: RequestId, verdict: Verdict, reason: string | undefined): HostId {
    return this.#overrule.get(verdict, reason ?? null, run, id)?.host_id as HostId;
  }

  /** Puts back what is claimed. */
  returnAllClaimed(run: RunId): void {
    this.#returnAll.run(run);
  }

  /** Puts back what a former owner had claimed when it died, and gives those that are set aside because of that. */
  returnAfterDeath(run: RunId): RequestId[] {
    const died = this.#died.all(run);
    this.returnAllClaimed(run);
    return died.flatMap(({ id, is_enough }) => (is_enough === 1 ? [id as RequestId] : []));
  }

  /** What became of the request of that identity; undefined when the run never had it. */
  fateOf(run: RunId, identity: Uint8Array): RequestFate | undefined {
    const row = this.#fate.get(run, identity);
    if (row === undefined) return undefined;
    return {
      id: row.id as RequestId,
      verdict: isVerdict(row.verdict) ? row.verdict : undefined,
      status: row.status === null ? undefined : Number(row.status),
      reason: row.reason === null ? undefined : String(row.reason),
    };
  }

  /** The first request of a run that was made for an address, or that was led to it. Looks through the whole run. */
  firstAt(run: RunId, url: string): RequestId | undefined {
    return this.#firstAt.get(run, url, url, run)?.id as RequestId | undefined;
  }

  /** Requests that were asked for again with another step or context: how many, and one of them. */
  conflicting(run: RunId): { readonly count: number; readonly example: string } | undefined {
    const row = this.#conflicting.get(run);
    return row === undefined || row.n === 0 ? undefined : { count: Number(row.n), example: String(row.example) };
  }

  /** What went otherwise than hoped, grouped by verdict, reason and step, most frequent first. */
  problems(run: RunId, limit: number): Problem[] {
    return this.#problems.all(run, limit).map((row) => ({
      verdict: String(row.verdict),
      reason: row.reason === null ? undefined : String(row.reason),
      step: row.step === null ? undefined : String(row.step),
      count: Number(row.n),
      request: row.request as RequestId,
      example: String(row.url),
    }));
  }
}

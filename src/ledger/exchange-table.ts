// Where each exchange lies in the archive.

import type { StatementSync } from 'node:sqlite';
import { BodyIndex } from './body-index.ts';
import type { Database } from './database.ts';
import type { ExchangeId, NewExchange, RequestId } from './page-result.ts';
import type { RunId } from './run.ts';

export interface StoredExchange extends NewExchange {
  readonly id: ExchangeId;
  readonly requestId: RequestId;
  readonly hop: number;
  /** Why its bytes are lost; undefined when they are not. */
  readonly lost: string | undefined;
  /** The exchange that has the body of a lost one now. */
  readonly replacedBy: ExchangeId | undefined;
}

/** A segment whose file is shorter than what the ledger refers to. */
export interface ShortSegment {
  readonly segment: number;
  /** Where it should end. */
  readonly end: number;
  /** What is there, in bytes. */
  readonly size: number;
}

/** A segment whose bytes between `syncedEnd` and `end` may not be on the device. */
export interface UnsyncedSegment {
  readonly segment: number;
  readonly run: RunId;
  readonly end: number;
  readonly syncedEnd: number;
}

/** Where a body was archived. */
export interface HeldBody {
  readonly id: ExchangeId;
  /** Undefined when its row is gone, or its bytes are lost. */
  readonly exchange: StoredExchange | undefined;
}

/** When a request left, and for where. */
export interface RequestStart {
  readonly url: string;
  readonly at: number;
}

const NEW_COLUMNS = `id, request_id, hop, at, duration_ms, url, status, body_sha256, body_size, file_path, segment_id,
  request_offset, request_length, response_offset, response_length, revisit_of`;
/** All that `readExchange` reads. */
const EXCHANGE_COLUMNS = `${NEW_COLUMNS}, lost, replaced_by`;
/** Whether the bytes of an exchange lie behind the end of a segment of `short`. */
const isCut = (exchange: string) =>
  `EXISTS (SELECT 1 FROM short WHERE short.segment = ${exchange}.segment_id
     AND ${exchange}.response_offset + ${exchange}.response_length > short.size)`;
const SHORT = `WITH short (segment, size) AS (SELECT value ->> 'segment', value ->> 'size' FROM json_each(?1))`;

const CUT_PAGE = 1_000;

export class ExchangeTable {
  readonly #insert: StatementSync;
  readonly #find: StatementSync;
  readonly #ofRequest: StatementSync;
  readonly #ofRun: StatementSync;
  readonly #lastAnswer: StatementSync;
  readonly #starts: StatementSync;
  readonly #grow: StatementSync;
  readonly #repeatInstead: StatementSync;
  readonly #addSegment: StatementSync;
  readonly #segmentsOf: StatementSync;
  readonly #unsynced: StatementSync;
  readonly #synced: StatementSync;
  readonly #inSegment: StatementSync;
  readonly #remove: StatementSync;
  readonly #cutSegment: StatementSync;
  readonly #allSegments: StatementSync;
  readonly #cut: StatementSync;
  readonly #mark: StatementSync;
  readonly #shrink: StatementSync;
  readonly #shrinkSynced: StatementSync;
  readonly #replace: StatementSync;
  readonly #redirect: StatementSync;
  /** Where each body was archived first. */
  readonly bodies: BodyIndex;

  constructor(database: Database) {
    this.#insert = database.prepare(
      `INSERT INTO exchanges (${NEW_COLUMNS}) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#find = database.prepare(`SELECT ${EXCHANGE_COLUMNS} FROM exchanges WHERE id = ?`);
    this.#ofRequest = database.prepare(`SELECT ${EXCHANGE_COLUMNS} FROM exchanges WHERE request_id = ? ORDER BY id`);
    this.#ofRun = database.prepare(
      `SELECT ${EXCHANGE_COLUMNS} FROM exchanges WHERE request_id IN (SELECT id FROM requests WHERE run_id = ?)
       AND id > ? ORDER BY id LIMIT ?`,
    );
    // One seek for each run, newest first: identities are indexed within their run.
    this.#lastAnswer = database.prepare(
      `SELECT ${EXCHANGE_COLUMNS} FROM exchanges WHERE id = (
         SELECT exchanges.id FROM runs
         JOIN requests ON requests.run_id = runs.id AND requests.identity = ?
         JOIN exchanges ON exchanges.request_id = requests.id
         WHERE exchanges.status = 200 AND exchanges.url = ? AND exchanges.lost IS NULL
         ORDER BY runs.id DESC, exchanges.id DESC LIMIT 1)`,
    );
    this.#starts = database.prepare(
      `SELECT exchanges.url, at FROM requests JOIN exchanges ON request_id = requests.id
       WHERE run_id = ? ORDER BY at`,
    );
    this.#grow = database.prepare('UPDATE segments SET committed_end = max(committed_end, ?) WHERE id = ?');
    this.#repeatInstead = database.prepare(
      'UPDATE exchanges SET revisit_of = ?1 WHERE revisit_of = ?2 AND body_sha256 = ?3 AND id <> ?1',
    );
    this.#addSegment = database.prepare('INSERT INTO segments (run_id, committed_end) VALUES (?, 0)');
    this.#segmentsOf = database.prepare('SELECT id, committed_end FROM segments WHERE run_id = ? ORDER BY id');
    this.#unsynced = database.prepare(
      'SELECT id, run_id, committed_end, synced_end FROM segments WHERE committed_end > synced_end ORDER BY id',
    );
    this.#synced = database.prepare('UPDATE segments SET synced_end = max(synced_end, ?) WHERE id = ? AND run_id = ?');
    this.#inSegment = database.prepare(
      `SELECT ${EXCHANGE_COLUMNS} FROM exchanges WHERE segment_id = ? ORDER BY id DESC`,
    );
    this.#remove = database.prepare('DELETE FROM exchanges WHERE id = ?');
    this.#cutSegment = database.prepare(
      'UPDATE segments SET committed_end = ?1, synced_end = min(synced_end, ?1) WHERE id = ?2',
    );
    this.#allSegments = database.prepare('SELECT id, committed_end FROM segments ORDER BY id');
    const columns = EXCHANGE_COLUMNS.replaceAll(/\w+/g, 'exchanges.$&');
    this.#cut = database.prepare(
      `${SHORT} SELECT ${columns} FROM exchanges CROSS JOIN requests ON requests.id = exchanges.request_id
       LEFT JOIN exchanges AS original ON original.id = exchanges.revisit_of
       WHERE exchanges.id > ?3 AND run_id = ?2 AND exchanges.lost IS NULL
       AND (${isCut('exchanges')} OR ${isCut('original')} OR original.lost IS NOT NULL) ORDER BY exchanges.id LIMIT ?4`,
    );
    this.#mark = database.prepare('UPDATE exchanges SET lost = ? WHERE id = ?');
    this.#shrink = database.prepare(
      `${SHORT} UPDATE segments SET committed_end = (
         SELECT coalesce(max(response_offset + response_length), 0) FROM requests
         JOIN exchanges ON exchanges.request_id = requests.id
         WHERE requests.run_id = ?2 AND segment_id = segments.id AND NOT ${isCut('exchanges')})
       WHERE run_id = ?2 AND id IN (SELECT segment FROM short)`,
    );
    this.#shrinkSynced = database.prepare(
      'UPDATE segments SET synced_end = min(synced_end, committed_end) WHERE run_id = ?',
    );
    this.#replace = database.prepare(
      `UPDATE exchanges AS old SET replaced_by = found.id FROM (
         SELECT gone.id AS old_id, coalesce(
           (SELECT exchange_id FROM bodies WHERE sha256 = gone.body_sha256),
           (SELECT max(fresh.id) FROM exchanges AS fresh WHERE fresh.request_id = gone.request_id
            AND fresh.body_sha256 = gone.body_sha256 AND fresh.lost IS NULL)) AS id
         FROM exchanges AS gone WHERE gone.lost IS NOT NULL AND gone.replaced_by IS NULL) AS found
       WHERE old.id = found.old_id AND found.id IS NOT NULL`,
    );
    this.#redirect = database.prepare(
      `UPDATE exchanges AS repeated SET revisit_of = original.replaced_by FROM exchanges AS original
       WHERE original.id = repeated.revisit_of AND original.lost IS NOT NULL AND original.replaced_by IS NOT NULL`,
    );
    this.bodies = new BodyIndex(database);
  }

  add(request: RequestId, hop: number, exchange: NewExchange): void {
    const { lastInsertRowid } = this.#insert.run(
      request,
      hop,
      exchange.at,
      Math.round(exchange.durationMs),
      exchange.url,
      exchange.status,
      exchange.bodySha256,
      exchange.bodySize,
      exchange.filePath ?? null,
      exchange.segment,
      exchange.requestOffset,
      exchange.requestLength,
      exchange.responseOffset,
      exchange.responseLength,
      exchange.revisitOf ?? null,
    );
    const holdsBody = exchange.bodySize > 0 && exchange.filePath === undefined && exchange.revisitOf === undefined;
    if (holdsBody) this.#holdBody(Number(lastInsertRowid) as ExchangeId, exchange);
  }

  /** Older repetitions of a damaged one can be read again: they now refer to the one that took its place. */
  #holdBody(id: ExchangeId, { bodySha256, replaces }: NewExchange): void {
    if (replaces !== undefined) {
      this.bodies.replace(bodySha256, replaces, id);
      this.#repeatInstead.run(id, replaces, bodySha256);
    }
    this.bodies.add(bodySha256, id);
  }

  /** Says that the segment's bytes up to `end` belong to the ledger: in the same transaction as the exchanges in them. */
  growSegment(segment: number, end: number): void {
    this.#grow.run(end, segment);
  }

  /** Segments of all runs with bytes that may not be on the device. */
  unsyncedSegments(): UnsyncedSegment[] {
    return this.#unsynced.all().map((row) => ({
      segment: Number(row.id),
      run: Number(row.run_id) as RunId,
      end: Number(row.committed_end),
      syncedEnd: Number(row.synced_end),
    }));
  }

  /** Says that the segment's bytes up to `end` are on the device. */
  syncSegment(run: RunId, segment: number, end: number): void {
    this.#synced.run(end, segment, run);
  }

  /** The exchanges in a segment that reach beyond `position`, as they lie there. */
  beyond(segment: number, position: number): StoredExchange[] {
    const found: StoredExchange[] = [];
    // They were committed in the order in which they lie.
    for (const row of this.#inSegment.iterate(segment)) {
      const exchange = readExchange(row);
      if (exchange.responseOffset + exchange.responseLength <= position) break;
      found.push(exchange);
    }
    return found.reverse();
  }

  /** Takes back that these exchanges were made; the segment ends before the first of them. */
  cut(segment: number, end: number, exchanges: readonly StoredExchange[]): void {
    for (const { id, bodySha256 } of exchanges) {
      this.#remove.run(id);
      this.bodies.remove(bodySha256, id);
    }
    this.#cutSegment.run(end, segment);
  }

  find(id: ExchangeId): StoredExchange | undefined {
    const row = this.#find.get(id);
    return row === undefined ? undefined : readExchange(row);
  }

  /** Where a body of that hash was archived. */
  holding(sha256: Uint8Array): HeldBody | undefined {
    const id = this.bodies.find(sha256);
    const exchange = id === undefined ? undefined : this.find(id);
    return id === undefined ? undefined : { id, exchange: exchange?.lost === undefined ? exchange : undefined };
  }

  /** In the order they were made. */
  ofRequest(request: RequestId): StoredExchange[] {
    return this.#ofRequest.all(request).map(readExchange);
  }

  /** A page of a run's exchanges after the one given, in the order they were committed. */
  ofRun(run: RunId, after: ExchangeId | undefined, limit: number): StoredExchange[] {
    return this.#ofRun.all(run, after ?? 0, limit).map(readExchange);
  }

  /** The latest 200 that this very address gave to a request of that identity, in any run. */
  lastAnswer(identity: Uint8Array, url: string): StoredExchange | undefined {
    const row = this.#lastAnswer.get(identity, url);
    return row === undefined ? undefined : readExchange(row);
  }

  /** When each exchange of a run began, redirects included, in the order of time. */
  *startsOf(run: RunId): Generator<RequestStart> {
    for (const { url, at } of this.#starts.iterate(run)) yield { url: String(url), at: Number(at) };
  }

  addSegment(run: RunId): number {
    return Number(this.#addSegment.run(run).lastInsertRowid);
  }

  segmentsOf(run: RunId): { readonly segment: number; readonly end: number }[] {
    return this.#segmentsOf.all(run).map(readSegment);
  }

  /** Of every run. */
  segments(): { readonly segment: number; readonly end: number }[] {
    return this.#allSegments.all().map(readSegment);
  }

  /** The exchanges of a run whose bytes are cut off, or those that they repeat, and are not marked as lost. A page at a time. */
  *cutOff(run: RunId, short: readonly ShortSegment[]): Generator<StoredExchange> {
    for (let after = 0; ; ) {
      const page = this.#cut.all(JSON.stringify(short), run, after, CUT_PAGE).map(readExchange);
      yield* page;
      after = page.at(-1)?.id ?? after;
      if (page.length < CUT_PAGE) return;
    }
  }

  /** Marks an exchange as lost: nothing refers to its body any more, or to the one it repeats. Call it within a transaction. */
  markLost({ id, bodySha256, revisitOf }: StoredExchange, reason: string): void {
    this.#mark.run(reason, id);
    this.bodies.remove(bodySha256, revisitOf ?? id);
  }

  /** Has those of these segments that are the run's end with the last exchange that is there. */
  shrinkSegments(run: RunId, short: readonly ShortSegment[]): void {
    this.#shrink.run(JSON.stringify(short), run);
    this.#shrinkSynced.run(run);
  }

  /**
   * Notes for exchanges that are lost which other has the same body now, and has repetitions refer to that one. The bodies
   * must be written. Call it within a transaction.
   */
  replaceLost(): void {
    if (this.#replace.run().changes > 0) this.#redirect.run();
  }
}

function readSegment(row: Record<string, unknown>): { readonly segment: number; readonly end: number } {
  return { segment: Number(row.id), end: Number(row.committed_end) };
}

/** A row of `exchanges`. */
export function readExchange(row: Record<string, unknown>): StoredExchange {
  return {
    id: row.id as ExchangeId,
    requestId: row.request_id as RequestId,
    hop: Number(row.hop),
    at: Number(row.at),
    durationMs: Number(row.duration_ms),
    url: String(row.url),
    status: Number(row.status),
    bodySha256: row.body_sha256 as Uint8Array,
    bodySize: Number(row.body_size),
    filePath: row.file_path === null ? undefined : String(row.file_path),
    segment: Number(row.segment_id),
    requestOffset: Number(row.request_offset),
    requestLength: Number(row.request_length),
    responseOffset: Number(row.response_offset),
    responseLength: Number(row.response_length),
    revisitOf: row.revisit_of === null ? undefined : (row.revisit_of as ExchangeId),
    // Older ledgers, which are looked at as they are, know of no loss.
    lost: row.lost === null || row.lost === undefined ? undefined : String(row.lost),
    replacedBy: (row.replaced_by ?? undefined) as ExchangeId | undefined,
  };
}

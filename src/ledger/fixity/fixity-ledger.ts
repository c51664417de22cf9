// What the ledger says must lie on the disk, and whether the ledger itself is sound. For looking only: nothing is upgraded,
// and every call is a short read of its own, so that a long check holds up no run that is being written.

import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { messageOf } from '../../platform/errors.ts';
import { Database, translate } from '../database.ts';
import { readExchange, type StoredExchange } from '../exchange-table.ts';
import { LEDGER_FILE } from '../ledger.ts';
import type { ExchangeId, RequestId } from '../page-result.ts';
import { decodeRequest, type RequestRow } from '../request-codec.ts';
import type { RequestSpec } from '../request-spec.ts';
import type { RunId } from '../run.ts';
import { RunOwnership } from '../run-ownership.ts';
import { type BrokenReference, findBrokenReferences } from './broken-references.ts';
import { findOpenLosses, IS_OPEN_LOSS, knowsOpenLosses } from './open-losses.ts';
import type { ScrubPlaces } from './scrub-table.ts';
import { findWrongCounts, type WrongCount } from './wrong-counts.ts';

/** An exchange, and the run that it belongs to: undefined when its request is gone. */
export interface HeldExchange extends StoredExchange {
  readonly run: RunId | undefined;
  /** Whether it is lost, and a different answer has taken its place: nobody has accepted that. */
  readonly isOpenLoss: boolean;
}

/** A request with the method that stands in its row, whether or not there is such a one. */
export type HeldRequest = Omit<RequestSpec, 'method'> & { readonly method: string };

/** A segment as the ledger knows it. */
export interface HeldSegment {
  readonly segment: number;
  readonly run: RunId;
  /** In bytes. What lies behind belongs to no row. */
  readonly end: number;
  /** Whether its run has ended for good: then nothing is written to it, and nothing behind its end is left to be cut. */
  readonly isComplete: boolean;
}

/** A file of a mirror: a version of a case's file, or of an index. */
export interface MirrorFile {
  /** Of its row: files come in this order. */
  readonly id: number;
  readonly run: RunId | undefined;
  /** Under `pdfs/`, or under the data directory for an index. */
  readonly path: string;
  readonly sha256: string;
  /** In bytes; undefined when the ledger does not say. */
  readonly size: number | undefined;
  /** What it is the file of: source and token of a case, or the address of an index. */
  readonly of: string;
}

/** What a file was when it was stored. */
interface FileDigest {
  readonly sha256: string;
  readonly size: number | undefined;
}

/** Whether every page of the file is looked into, or only that it can be read through. */
export type IntegrityDepth = 'full' | 'quick';

const MOST_PROBLEMS = 100;

export class FixityLedger {
  readonly #database: Database;
  readonly #clock: Clock;
  #knowsOpenLosses: boolean | undefined;

  private constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Throws `ledger_corrupt` when SQLite cannot read it at all. */
  static open(dataDirectory: string, clock: Clock): FixityLedger {
    return new FixityLedger(Database.openAsIs(join(dataDirectory, LEDGER_FILE)), clock);
  }

  get path(): string {
    return this.#database.path;
  }

  /** Whether it has no tables: it is being made at this moment, or was emptied. */
  get isEmpty(): boolean {
    return this.#all("SELECT 1 FROM sqlite_schema WHERE name = 'runs'").length === 0;
  }

  /** What SQLite finds wrong with its file, in its own words; nothing when it is sound. */
  integrity(depth: IntegrityDepth): string[] {
    const sql = `PRAGMA ${depth === 'full' ? 'integrity_check' : 'quick_check'}(${MOST_PROBLEMS})`;
    try {
      const found = this.#all(sql).map((row) => String(Object.values(row)[0]));
      return found.filter((line) => line !== 'ok');
    } catch (error) {
      return [messageOf(error)];
    }
  }

  /** Rows that refer to one that is not there, where SQLite itself is told of the reference. */
  foreignKeys(): { readonly table: string; readonly row: number | undefined; readonly parent: string }[] {
    return this.#all('PRAGMA foreign_key_check')
      .slice(0, MOST_PROBLEMS)
      .map(({ table, rowid, parent }) => ({
        table: String(table),
        row: rowid === null ? undefined : Number(rowid),
        parent: String(parent),
      }));
  }

  /** Counts that are not what is counted; of every run when none is given. */
  wrongCounts(run: RunId | undefined): WrongCount[] {
    return this.#translating(() => findWrongCounts(this.#database, run));
  }

  /** References that lead nowhere, or to the wrong place, and that SQLite does not know of. */
  brokenReferences(run: RunId | undefined): BrokenReference[] {
    return this.#translating(() => findBrokenReferences(this.#database, run));
  }

  /** The run that a person means; undefined when there is none. */
  run(reference: number | 'latest'): RunId | undefined {
    const [row] =
      reference === 'latest'
        ? this.#all('SELECT max(id) AS id FROM runs')
        : this.#all('SELECT id FROM runs WHERE id = ?', reference);
    return typeof row?.id === 'number' ? (row.id as RunId) : undefined;
  }

  /** Segments after the one given, in the order of their numbers. */
  segmentsAfter(after: number, run: RunId | undefined, limit: number): HeldSegment[] {
    return this.#all(
      `SELECT segments.id, run_id, committed_end, status FROM segments LEFT JOIN runs ON runs.id = run_id
       WHERE segments.id > ? AND run_id = coalesce(?, run_id) ORDER BY segments.id LIMIT ?`,
      after,
      run ?? null,
      limit,
    ).map((row) => ({
      segment: Number(row.id),
      run: row.run_id as RunId,
      end: Number(row.committed_end),
      isComplete: row.status === 'completed',
    }));
  }

  /** Whether a row says that there is such a segment. */
  hasSegment(segment: number): boolean {
    return this.#all('SELECT 1 FROM segments WHERE id = ?', segment).length > 0;
  }

  /** How many there are that are not marked as lost, and how many of them are downloads. */
  countExchanges(run: RunId | undefined): { readonly exchanges: number; readonly downloads: number } {
    const sql = `SELECT count(*) AS n, count(file_path) AS files FROM exchanges WHERE ${OF_RUN} AND ${this.#isKept()}`;
    const [row] = this.#all(sql, run ?? null);
    return { exchanges: Number(row?.n), downloads: Number(row?.files) };
  }

  /** Exchanges after the one given, in the order they were committed: in a segment, that is the order of its bytes. */
  exchangesAfter(after: number, run: RunId | undefined, limit: number): HeldExchange[] {
    return this.#exchanges(`${OF_RUN} AND id > ?2 ORDER BY id LIMIT ?3`, run ?? null, after, limit);
  }

  /** The same, of those that are downloads and not marked as lost. */
  downloadsAfter(after: number, run: RunId | undefined, limit: number): HeldExchange[] {
    const which = `${OF_RUN} AND ${this.#isKept()} AND file_path IS NOT NULL AND id > ?2 ORDER BY id LIMIT ?3`;
    return this.#exchanges(which, run ?? null, after, limit);
  }

  /** Losses that nobody has accepted. */
  openLosses(): HeldExchange[] {
    if (!this.#translating(() => knowsOpenLosses(this.#database))) return [];
    return this.#translating(() => findOpenLosses(this.#database)).flatMap((id) => this.exchange(id) ?? []);
  }

  /** Paths of downloads that are marked as lost: what lies there is known, whatever it is. */
  lostFiles(): string[] {
    const sql = `SELECT DISTINCT file_path FROM exchanges WHERE NOT (${this.#isKept()}) AND file_path IS NOT NULL`;
    return this.#all(sql).map(({ file_path }) => String(file_path));
  }

  exchange(id: ExchangeId): HeldExchange | undefined {
    return this.#exchanges('id = ?', id)[0];
  }

  /** Whether an exchange has a record that begins there. */
  refersTo(segment: number, offset: number): boolean {
    const sql = 'SELECT 1 FROM exchanges WHERE segment_id = ?1 AND ?2 IN (request_offset, response_offset) LIMIT 1';
    return this.#all(sql, segment, offset).length > 0;
  }

  /** Whether an earlier exchange has a record that begins where one of this begins. */
  sharesBytes({ id, segment, requestOffset, responseOffset }: StoredExchange): boolean {
    const sql = `SELECT 1 FROM exchanges WHERE segment_id = ?1 AND id < ?2
      AND (request_offset IN (?3, ?4) OR response_offset IN (?3, ?4)) LIMIT 1`;
    return this.#all(sql, segment, id, requestOffset, responseOffset).length > 0;
  }

  /** What was to be asked for; undefined when its row is gone. Throws `ledger_corrupt` when it cannot be read. */
  request(id: RequestId): HeldRequest | undefined {
    const sql = 'SELECT method, url, step, priority, depth, extra FROM requests WHERE id = ?';
    const [row] = this.#all(sql, id);
    return row && { ...decodeRequest(row as unknown as RequestRow), method: String(row.method) };
  }

  /** The exchange whose answer led to this one. */
  hopBefore({ id, requestId, hop }: StoredExchange): HeldExchange | undefined {
    const which = 'request_id = ?1 AND hop = ?2 AND id < ?3 ORDER BY id DESC LIMIT 1';
    return this.#exchanges(which, requestId, hop - 1, id)[0];
  }

  countCaseFiles(run: RunId | undefined): number {
    const sql = `SELECT count(*) AS n FROM ${this.#caseFiles()} WHERE run_id = coalesce(?, run_id)`;
    return this.#count(sql, run ?? null);
  }

  /** Versions of the files of cases, after the one given. */
  caseFilesAfter(after: number, run: RunId | undefined, limit: number): MirrorFile[] {
    return this.#all(
      `SELECT files.id, run_id, file_path, file_sha256, file_size_bytes, source, action_token_norm
       FROM ${this.#caseFiles()} AS files LEFT JOIN cases ON cases.id = case_id
       WHERE files.id > ? AND run_id = coalesce(?, run_id) ORDER BY files.id LIMIT ?`,
      after,
      run ?? null,
      limit,
    ).map((row) => ({
      id: Number(row.id),
      run: row.run_id as RunId,
      path: String(row.file_path),
      sha256: String(row.file_sha256),
      size: row.file_size_bytes === null ? undefined : Number(row.file_size_bytes),
      of: row.source === null ? 'a case that is gone' : `${row.source} ${row.action_token_norm}`,
    }));
  }

  /** The version of a case's file under this path of `pdfs/`. */
  caseFileAt(path: string): FileDigest | undefined {
    const sql = `SELECT file_sha256, file_size_bytes FROM ${this.#caseFiles()} WHERE file_path = ? LIMIT 1`;
    const [row] = this.#all(sql, path);
    if (row === undefined) return undefined;
    const size = row.file_size_bytes === null ? undefined : Number(row.file_size_bytes);
    return { sha256: String(row.file_sha256), size };
  }

  /** Whether a version of a case's file is there under this path of `pdfs/`. */
  hasCaseFile(path: string): boolean {
    return this.#all(`SELECT 1 FROM ${this.#caseFiles()} WHERE file_path = ? LIMIT 1`, path).length > 0;
  }

  countIndexFiles(): number {
    return this.#count(`SELECT count(*) AS n FROM csv_versions WHERE file_path <> ''`);
  }

  /** Versions of indexes whose bytes were kept, after the one given. */
  indexFilesAfter(after: number, limit: number): MirrorFile[] {
    return this.#all(
      `SELECT id, file_path, sha256, source_url FROM csv_versions WHERE file_path <> '' AND id > ? ORDER BY id LIMIT ?`,
      after,
      limit,
    ).map((row) => ({
      id: Number(row.id),
      run: undefined,
      path: String(row.file_path),
      sha256: String(row.sha256),
      size: undefined,
      of: String(row.source_url),
    }));
  }

  /** The highest id of each kind of thing that is stored. */
  lastIds(): ScrubPlaces {
    const [row] = this.#all(
      `SELECT (SELECT max(id) FROM exchanges) AS exchange, (SELECT max(id) FROM ${this.#caseFiles()}) AS case_file,
         (SELECT max(id) FROM csv_versions) AS index_file`,
    );
    return {
      exchange: Number(row?.exchange ?? 0),
      case_file: Number(row?.case_file ?? 0),
      index_file: Number(row?.index_file ?? 0),
    };
  }

  /** The segment that a living process writes to for this run: its last that holds something. Undefined without one. */
  segmentAtWork(run: RunId): number | undefined {
    if (new RunOwnership(this.#database).holderOf(run, this.#clock.now()) === undefined) return undefined;
    const [row] = this.#all('SELECT max(id) AS id FROM segments WHERE run_id = ? AND committed_end > 0', run);
    return typeof row?.id === 'number' ? row.id : undefined;
  }

  /** Whether a living process works on a run of a mirror: it may have files that no row knows yet. */
  isMirroring(): boolean {
    const ownership = new RunOwnership(this.#database);
    return this.#all("SELECT id FROM runs WHERE kind = 'mirror' AND status = 'running'").some(
      ({ id }) => ownership.holderOf(id as RunId, this.#clock.now()) !== undefined,
    );
  }

  close(): void {
    this.#database.close();
  }

  /** Before versions were kept, the newest download of a case was its file. */
  #caseFiles(): string {
    const isKnown = this.#all("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'case_files'").length > 0;
    if (isKnown) return 'case_files';
    const held = "status = 'downloaded' AND file_sha256 IS NOT NULL AND file_path IS NOT NULL";
    return `(SELECT * FROM downloads WHERE id IN (SELECT max(id) FROM downloads WHERE ${held} GROUP BY case_id))`;
  }

  /** The condition that an exchange is not marked as lost, which older ledgers do not know of. */
  #isKept(): string {
    const isKnown = this.#all("SELECT 1 FROM pragma_table_info('exchanges') WHERE name = 'lost'").length > 0;
    return isKnown ? 'lost IS NULL' : 'true';
  }

  #exchanges(which: string, ...parameters: (number | null)[]): HeldExchange[] {
    this.#knowsOpenLosses ??= this.#translating(() => knowsOpenLosses(this.#database));
    const sql = `SELECT *, (SELECT run_id FROM requests WHERE requests.id = request_id) AS run,
      ${this.#knowsOpenLosses ? IS_OPEN_LOSS : 'false'} AS is_open_loss FROM exchanges WHERE ${which}`;
    return this.#all(sql, ...parameters).map((row) => ({
      ...readExchange(row),
      run: row.run === null ? undefined : (row.run as RunId),
      isOpenLoss: row.is_open_loss === 1,
    }));
  }

  #count(sql: string, ...parameters: (number | null)[]): number {
    return Number(this.#all(sql, ...parameters)[0]?.n);
  }

  #all(sql: string, ...parameters: (number | string | null)[]): Record<string, unknown>[] {
    return this.#translating(() => this.#database.prepare(sql).all(...parameters));
  }

  #translating<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw translate(this.#database.path, error);
    }
  }
}

/** One look-up for each exchange: nothing of a large run is gathered. */
const OF_RUN = '(?1 IS NULL OR (SELECT run_id FROM requests WHERE requests.id = request_id) = ?1)';

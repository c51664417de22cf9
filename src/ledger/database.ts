// The one door to SQLite: opening, pragmas, migrations, transactions, and what its errors mean to a person.
// One writer: a transaction takes the write lock at its beginning, so that it never has to be tried again half done.

import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { adviceOnOpenFiles, CurlewError, ErrorCode, messageOf, systemCodeOf } from '../platform/errors.ts';
import { makeDirectory, PRIVATE_FILE } from '../platform/make-directory.ts';
import { MIGRATIONS } from './schema.ts';

/**
 * `process`: survives any kill of the process; a power cut may take the newest commits. `power`: survives a power cut too, at
 * an fsync per commit.
 */
export type Durability = 'process' | 'power';

export interface DatabaseOptions {
  /** Opens an existing file without changing anything. */
  readonly readOnly?: boolean;
}

const BUSY_TIMEOUT_MS = 10_000;
const CACHE_KIB = 32 * 1024;
/** 16 MB of log. Pages of the indexes are written many times over; the more of it is gathered, the less is copied and synced. */
const CHECKPOINT_PAGES = 4_000;
const CHECKPOINT_BYTES = CHECKPOINT_PAGES * 4096;

const SYNCHRONOUS: Readonly<Record<Durability, string>> = {
  process: 'PRAGMA synchronous = NORMAL',
  power: 'PRAGMA synchronous = FULL',
};

export class Database {
  readonly path: string;
  readonly #sqlite: DatabaseSync;
  #closed = false;
  #durability: Durability = 'process';
  #defersCheckpoints = false;
  /** The log is copied when it has got this long. */
  #longLog = CHECKPOINT_BYTES;

  private constructor(path: string, sqlite: DatabaseSync) {
    this.path = path;
    this.#sqlite = sqlite;
  }

  /**
   * Opens the ledger file, creating or upgrading it. A file written by a newer Curlew is refused with `ledger_newer`. One
   * to be read only that is older, being created at this moment, or left in the middle of a transaction by a process that
   * died, is upgraded or recovered first.
   */
  static open(path: string, options: DatabaseOptions = {}): Database {
    return translating(path, () => {
      if (options.readOnly) return Database.#openReadOnly(path) ?? Database.#openAfterRecovery(path);
      makeDirectory(dirname(path));
      createPrivately(path);
      return Database.#connect(path, false, (database) => {
        if (database.#isOld()) database.#migrate();
      });
    });
  }

  /**
   * Opens an existing file to look at it as it is: nothing is upgraded, so tables may be missing. Throws `ledger_newer` as
   * `open` does. Only what a process that died left in the middle of a transaction is recovered, for SQLite cannot read it.
   */
  static openAsIs(path: string): Database {
    const check = (database: Database) => void database.#isOld();
    return translating(path, () => {
      try {
        return Database.#connect(path, true, check);
      } catch (error) {
        if (sqliteCodeOf(error) !== SqliteCode.readOnly) throw error;
        return Database.#connect(path, false, check);
      }
    });
  }

  /** Undefined when the file has to be written before it can be read. */
  static #openReadOnly(path: string): Database | undefined {
    try {
      let isOld = false;
      const database = Database.#connect(path, true, (opened) => {
        isOld = opened.#isOld();
      });
      if (!isOld) return database;
      database.close();
    } catch (error) {
      // A transaction was cut off in the middle, and only a writer may undo what it left.
      if (sqliteCodeOf(error) !== SqliteCode.readOnly) throw error;
    }
    return undefined;
  }

  static #openAfterRecovery(path: string): Database {
    Database.open(path).close();
    return Database.#connect(path, true, () => {});
  }

  static #connect(path: string, readOnly: boolean, prepare: (database: Database) => void): Database {
    // SQLite would wait for who writes to a pipe.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
      throw new CurlewError(ErrorCode.ledgerCorrupt, `${path} is not a file`, {
        remedy: 'Move away what lies there, and restore the ledger from a backup.',
      });
    }
    const sqlite = new DatabaseSync(path, { readOnly, timeout: BUSY_TIMEOUT_MS });
    try {
      sqlite.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;`);
      if (!readOnly) {
        sqlite.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`);
        sqlite.exec(SYNCHRONOUS.process);
      }
      const database = new Database(path, sqlite);
      prepare(database);
      return database;
    } catch (error) {
      sqlite.close();
      throw error;
    }
  }

  /** How safe every later commit is; `process` after opening. */
  setDurability(durability: Durability): void {
    translating(this.path, () => this.#sqlite.exec(SYNCHRONOUS[durability]));
    this.#durability = durability;
  }

  /**
   * From now on the log is copied into the file, which makes the newest commits last, by `checkpoint` alone, so that what they
   * refer to can be synced before. (SQLite still does it when the last process closes the file.)
   */
  deferCheckpoints(): void {
    // A log that begins anew is cut, so that its length on the disk is its length.
    translating(this.path, () => this.#sqlite.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 0;'));
    this.#defersCheckpoints = true;
  }

  /** Whether there is so much in the log that it is time for `checkpoint`. */
  get needsCheckpoint(): boolean {
    if (!this.#defersCheckpoints) return false;
    const length = statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    if (length < CHECKPOINT_BYTES) this.#longLog = CHECKPOINT_BYTES;
    return length >= this.#longLog;
  }

  /** Copies the log into the file, as far as those who read it let it be copied; what they hold up is copied later. */
  checkpoint(): void {
    // Who reads for long makes the log grow: it is tried again when there is as much again.
    this.#longLog += CHECKPOINT_BYTES;
    translating(this.path, () => this.#sqlite.exec('PRAGMA wal_checkpoint(PASSIVE)'));
  }

  /** @internal Left out of the package's declarations, which would else need those of Node. */
  prepare(sql: string): StatementSync {
    return this.#sqlite.prepare(sql);
  }

  /**
   * Runs `work` in one transaction: all of it becomes true, or nothing. With `power` it is on the device when this returns,
   * and so is everything that was committed before it.
   */
  transaction<T>(work: () => T, durability = this.#durability): T {
    if (durability === this.#durability) return this.#transaction(work);
    const usual = this.#durability;
    this.setDurability(durability);
    try {
      return this.#transaction(work);
    } finally {
      this.setDurability(usual);
    }
  }

  #transaction<T>(work: () => T): T {
    return translating(this.path, () => {
      this.#sqlite.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#sqlite.exec('COMMIT');
        return result;
      } catch (error) {
        // SQLite ends the transaction by itself on some errors, a full disk among them.
        if (this.#sqlite.isTransaction) this.#sqlite.exec('ROLLBACK');
        throw error;
      }
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#sqlite.close();
  }

  /** Whether the file lacks tables that this code needs. Throws `ledger_newer` when it has some that this code does not know. */
  #isOld(): boolean {
    const version = this.#version();
    if (version <= MIGRATIONS.length) return version < MIGRATIONS.length;
    throw new CurlewError(
      ErrorCode.ledgerNewer,
      `${this.path} was written by a newer Curlew (format ${version}; this one knows ${MIGRATIONS.length}).`,
      { remedy: 'Update Curlew, or choose another data directory with --data.' },
    );
  }

  #migrate(): void {
    this.transaction(() => {
      // Again under the lock: another process may have been faster.
      for (const [index, sql] of MIGRATIONS.entries()) if (index >= this.#version()) this.#sqlite.exec(sql);
      this.#sqlite.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    });
  }

  #version(): number {
    return Number(this.#sqlite.prepare('PRAGMA user_version').get()?.user_version);
  }
}

/**
 * Makes the file for its owner only; SQLite gives its log and its index the same mode. One that exists is not touched: to
 * close a file, however it was opened, takes away the locks that SQLite has on it in this process (fcntl(2)).
 */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'ax', PRIVATE_FILE));
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
}

/** SQLite's primary result codes (https://sqlite.org/rescode.html) that a person can do something about. */
const SqliteCode = {
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
  busy: 5,
  readOnly: 8,
  permission: 3,
};

/** What the file system says when a directory cannot be made or written. */
const UNWRITABLE: ReadonlySet<string> = new Set([
  'EACCES',
  'EEXIST',
  'EINVAL',
  'EIO',
  'EISDIR',
  'ELOOP',
  'EMFILE',
  'ENAMETOOLONG',
  'ENFILE',
  'ENODEV',
  'ENOENT',
  'ENOTDIR',
  'ENXIO',
  'EPERM',
  'EROFS',
  'ESTALE',
]);

/** Runs `work`; an error of SQLite or the file system comes out as one that says what to do. */
function translating<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(path, error);
  }
}

/** Whether another process has the file. */
export function isBusy(error: unknown): boolean {
  return sqliteCodeOf(error) === SqliteCode.busy;
}

/** SQLite's primary result code; undefined for an error that is not SQLite's. */
function sqliteCodeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

/** What an error of SQLite or the file system means to a person; any other error is given back as it is. */
export function translate(path: string, error: unknown): unknown {
  if (error instanceof CurlewError || !(error instanceof Error)) return error;
  const system = 'code' in error ? error.code : undefined;
  if (system === 'ENOSPC' || system === 'EDQUOT') return diskFull(path, error);
  if (typeof system === 'string' && UNWRITABLE.has(system)) return unwritable(path, error);
  if (system !== 'ERR_SQLITE_ERROR') return error;
  switch (sqliteCodeOf(error)) {
    case SqliteCode.full:
      return diskFull(path, error);
    case SqliteCode.ioError:
      return new CurlewError(
        ErrorCode.dataDirectory,
        `The ledger ${path} could not be read or written: ${messageOf(error)}`,
        {
          remedy: 'Check the disk and its free space. What was committed is safe; go on with curlew resume latest.',
          cause: error,
        },
      );
    case SqliteCode.cantOpen:
    case SqliteCode.readOnly:
    case SqliteCode.permission:
      return unwritable(path, error);
    case SqliteCode.corrupt:
    case SqliteCode.notADatabase:
      return new CurlewError(ErrorCode.ledgerCorrupt, `${path} is not a readable ledger: ${messageOf(error)}`, {
        remedy: 'Restore it from a backup, or choose another data directory with --data.',
        cause: error,
      });
    case SqliteCode.busy:
      return new CurlewError(ErrorCode.dataDirectory, `${path} is being written by another process.`, {
        remedy: 'Wait for it to end (curlew runs shows what is running) and try again.',
        cause: error,
      });
    default:
      return error;
  }
}

function diskFull(path: string, cause: Error): CurlewError {
  return new CurlewError(ErrorCode.diskFull, `The disk is full: ${dirname(path)}`, {
    remedy: 'Free some space. What was committed is safe; go on with curlew resume latest.',
    cause,
  });
}

function unwritable(path: string, cause: Error): CurlewError {
  const advice = 'code' in cause ? adviceOnOpenFiles(cause.code) : undefined;
  return new CurlewError(
    ErrorCode.dataDirectory,
    `The data directory cannot be used: ${dirname(path)} (${cause.message})`,
    {
      remedy: advice ?? 'Check that it exists and may be written, or choose another with --data.',
      cause,
    },
  );
}

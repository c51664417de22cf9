// What SQLite asks of the disk, told from its two files after each call. It does not go through our doors, but how it writes is
// its contract (https://sqlite.org/wal.html): a commit appends to the log, which is synced with `synchronous = FULL`; a
// checkpoint syncs the log, copies pages to the file and syncs that. The file changes at no other time.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LEDGER_FILE } from '../../src/ledger/ledger.ts';
import { systemCodeOf } from '../../src/platform/errors.ts';
import { type DiskEvent, type FileId, LEDGER, LEDGER_LOG } from './disk-event.ts';

const PAGE = 4096;
const FULL = 2;
const LOG_HEADER = 32;

/** From now on, in this process. With `every`, SQLite's own checkpoints come after so many pages of log. */
export function recordSqlite(home: string, events: DiskEvent[], every?: number): void {
  const recorder = new SqliteRecorder(home, events);
  const { exec, close } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql: string): void {
    const asked = every === undefined ? sql : sql.replace(/wal_autocheckpoint = \d+/, `wal_autocheckpoint = ${every}`);
    exec.call(this, asked);
    const isCommit = sql === 'COMMIT';
    const isSynced = isCommit && this.prepare('PRAGMA synchronous').get()?.synchronous === FULL;
    if (isCommit || sql.startsWith('PRAGMA wal_checkpoint') || sql.includes('journal_mode')) recorder.look(isSynced);
  };
  DatabaseSync.prototype.close = function (this: DatabaseSync): void {
    close.call(this);
    recorder.look(false);
  };
}

class SqliteRecorder {
  readonly #home: string;
  readonly #events: DiskEvent[];
  #file: Buffer = Buffer.alloc(0);
  #log: Buffer = Buffer.alloc(0);

  constructor(home: string, events: DiskEvent[]) {
    this.#home = home;
    this.#events = events;
  }

  look(isSynced: boolean): void {
    const [file, log] = [this.#read(LEDGER_FILE), this.#read(`${LEDGER_FILE}-wal`)];
    const isCopied = !file.equals(this.#file);
    // When the last one closes the file, the log is copied and then removed.
    const isRemoved = log.length === 0;
    if (isCopied && isRemoved) this.#copied(file);
    this.#begun(log);
    this.#tell(LEDGER_LOG, this.#log, log);
    if (isSynced) this.#synced(LEDGER_LOG);
    if (isCopied && !isRemoved) this.#copied(file);
    [this.#file, this.#log] = [file, log];
  }

  /** The header of a log that begins anew is synced before anything is written behind it: else an older log would be read. */
  #begun(log: Buffer): void {
    const header = log.subarray(0, LOG_HEADER);
    if (header.length === 0 || header.equals(this.#log.subarray(0, LOG_HEADER))) return;
    this.#events.push({ kind: 'write', file: LEDGER_LOG, position: 0, bytes: Uint8Array.from(header) });
    this.#synced(LEDGER_LOG);
    this.#log = Buffer.concat([header, this.#log.subarray(LOG_HEADER)]);
  }

  #copied(file: Buffer): void {
    this.#synced(LEDGER_LOG);
    this.#tell(LEDGER, this.#file, file);
    this.#synced(LEDGER);
  }

  #synced(file: FileId): void {
    this.#events.push({ kind: 'sync', file, began: this.#events.length });
  }

  #tell(file: FileId, before: Buffer, after: Buffer): void {
    for (let position = 0; position < after.length; position += PAGE) {
      const bytes = after.subarray(position, position + PAGE);
      if (bytes.equals(before.subarray(position, position + PAGE))) continue;
      this.#events.push({ kind: 'write', file, position, bytes: Uint8Array.from(bytes) });
    }
    if (after.length < before.length) this.#events.push({ kind: 'truncate', file, length: after.length });
  }

  #read(name: string): Buffer {
    try {
      return readFileSync(join(this.#home, name));
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') throw error;
      return Buffer.alloc(0);
    }
  }
}

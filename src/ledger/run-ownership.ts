// A run, or the walk of a site, belongs to one process at a time. Taking it raises its token; a commit carries the token, and one that is not the
// newest is rejected. So a process that was taken for dead can come back and do no harm.

import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { lookUpProcess, type ProcessIdentity } from '../platform/process-identity.ts';
import type { Database } from './database.ts';
import type { RunId } from './run.ts';
import { readJson } from './stored-json.ts';

/** Proof of ownership. */
export type FencingToken = number & { readonly brand: 'FencingToken' };

/** An owner that was silent for this long has lost its run, wherever it may be. */
export const OWNER_SILENT_MS = 30_000;

/** What can be owned: where its owners are kept, and how it is called. */
export interface Owned<Id extends number | string> {
  readonly table: string;
  readonly key: string;
  readonly nameOf: (id: Id) => string;
}

const RUNS: Owned<RunId> = { table: 'run_owners', key: 'run_id', nameOf: (id) => `Run ${id}` };

export class Ownership<Id extends number | string> {
  readonly #database: Database;
  readonly #owned: Owned<Id>;
  readonly #beat: StatementSync;

  constructor(database: Database, owned: Owned<Id>) {
    this.#database = database;
    this.#owned = owned;
    this.#beat = database.prepare(`UPDATE ${owned.table} SET heartbeat_at = ? WHERE ${owned.key} = ? AND token = ?`);
  }

  /**
   * Takes it for `owner`. Throws `run_owned`, saying who has it, unless it is free, its owner is dead, or its owner
   * has been silent for `OWNER_SILENT_MS`. Call it in the transaction that begins what is owned.
   */
  take(id: Id, owner: ProcessIdentity, now: Instant): FencingToken {
    const { table, key, nameOf } = this.#owned;
    const row = this.#database.prepare(`SELECT * FROM ${table} WHERE ${key} = ?`).get(id);
    const holder = row === undefined || row.owner === null ? undefined : readOwner(String(row.owner));
    const silentMs = row === undefined ? 0 : now - Number(row.heartbeat_at);
    if (holder !== undefined && !hasLeft(holder, silentMs)) throw owned(nameOf(id), holder, silentMs);
    const token = (row === undefined ? 1 : Number(row.token) + 1) as FencingToken;
    this.#database
      .prepare(`INSERT OR REPLACE INTO ${table} (${key}, token, owner, heartbeat_at) VALUES (?, ?, ?, ?)`)
      .run(id, token, JSON.stringify(owner), now);
    return token;
  }

  /** The process that has it now, if it is there and alive. */
  holderOf(id: Id, now: Instant): ProcessIdentity | undefined {
    const last = this.lastHolder(id);
    return last === undefined || hasLeft(last.holder, now - last.heartbeatAt) ? undefined : last.holder;
  }

  /** The process that has it, or had it when it died; undefined when it was given back. */
  lastHolder(id: Id): { readonly holder: ProcessIdentity; readonly heartbeatAt: Instant } | undefined {
    const { table, key } = this.#owned;
    const row = this.#database.prepare(`SELECT owner, heartbeat_at FROM ${table} WHERE ${key} = ?`).get(id);
    if (row === undefined || row.owner === null) return undefined;
    return { holder: readOwner(String(row.owner)), heartbeatAt: Number(row.heartbeat_at) };
  }

  /** Shows that the owner is there. Throws `ownership_lost` when `token` is not the newest. Call it in every transaction. */
  assertOwner(id: Id, token: FencingToken, now: Instant): void {
    if (this.#beat.run(now, id, token).changes === 0) {
      throw new CurlewError(ErrorCode.ownershipLost, `${this.#owned.nameOf(id)} was taken over by another process.`, {
        remedy: 'Nothing was lost: the other process goes on with it. See curlew runs.',
      });
    }
  }

  /** Gives it back. Without effect when it was taken over. */
  release(id: Id, token: FencingToken): void {
    const { table, key } = this.#owned;
    this.#database.prepare(`UPDATE ${table} SET owner = NULL WHERE ${key} = ? AND token = ?`).run(id, token);
  }
}

export class RunOwnership extends Ownership<RunId> {
  constructor(database: Database) {
    super(database, RUNS);
  }
}

function hasLeft(holder: ProcessIdentity, silentMs: number): boolean {
  return lookUpProcess(holder) === 'dead' || silentMs >= OWNER_SILENT_MS;
}

/** Of another machine: whether it lives is judged by its heartbeat alone. */
const UNREADABLE_OWNER: ProcessIdentity = { pid: 0, began: '', machine: 'an owner that cannot be read' };

function readOwner(json: string): ProcessIdentity {
  const owner = readJson(json);
  if (typeof owner !== 'object' || owner === null || !('pid' in owner)) return UNREADABLE_OWNER;
  const { pid, began, machine } = owner;
  return { pid: Number(pid), began: String(began), machine: String(machine) };
}

function owned(name: string, holder: ProcessIdentity, silentMs: number): CurlewError {
  const seen = `last heard of ${Math.max(0, Math.round(silentMs / 1000))} s ago`;
  return new CurlewError(
    ErrorCode.runOwned,
    `${name} is being worked on by process ${holder.pid} on ${holder.machine} (${seen}).`,
    { remedy: 'Let it finish, or stop it with Ctrl-C (SIGINT) and resume.' },
  );
}

// A run belongs to one process at a time. Taking it raises its token; a commit carries the token, and one that is not the
// newest is rejected. So a process that was taken for dead can come back and do no harm.

import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { lookUpProcess, type ProcessIdentity } from '../platform/process-identity.ts';
import type { Database } from './database.ts';
import type { RunId } from './run.ts';

/** Proof of ownership. */
export type FencingToken = number & { readonly brand: 'FencingToken' };

/** An owner that was silent for this long has lost its run, wherever it may be. */
export const OWNER_SILENT_MS = 30_000;

export class RunOwnership {
  readonly #database: Database;
  readonly #beat: StatementSync;

  constructor(database: Database) {
    this.#database = database;
    this.#beat = database.prepare('UPDATE run_owners SET heartbeat_at = ? WHERE run_id = ? AND token = ?');
  }

  /**
   * Takes the run for `owner`. Throws `run_owned`, saying who has it, unless it is free, its owner is dead, or its owner
   * has been silent for `OWNER_SILENT_MS`.
   */
  take(run: RunId, owner: ProcessIdentity, now: Instant): FencingToken {
    return this.#database.transaction(() => {
      const row = this.#database.prepare('SELECT * FROM run_owners WHERE run_id = ?').get(run);
      const holder = row === undefined || row.owner === null ? undefined : readOwner(String(row.owner));
      const silentMs = row === undefined ? 0 : now - Number(row.heartbeat_at);
      if (holder !== undefined && !hasLeft(holder, silentMs)) throw owned(run, holder, silentMs);
      const token = (row === undefined ? 1 : Number(row.token) + 1) as FencingToken;
      this.#database
        .prepare('INSERT OR REPLACE INTO run_owners (run_id, token, owner, heartbeat_at) VALUES (?, ?, ?, ?)')
        .run(run, token, JSON.stringify(owner), now);
      return token;
    });
  }

  /** The process that has the run now, if it is there and alive. */
  holderOf(run: RunId, now: Instant): ProcessIdentity | undefined {
    const row = this.#database.prepare('SELECT owner, heartbeat_at FROM run_owners WHERE run_id = ?').get(run);
    if (row === undefined || row.owner === null) return undefined;
    const holder = readOwner(String(row.owner));
    return hasLeft(holder, now - Number(row.heartbeat_at)) ? undefined : holder;
  }

  /** Shows that the owner is there. Throws `ownership_lost` when `token` is not the newest. Call it in every transaction. */
  assertOwner(run: RunId, token: FencingToken, now: Instant): void {
    if (this.#beat.run(now, run, token).changes === 0) {
      throw new CurlewError(ErrorCode.ownershipLost, `Run ${run} was taken over by another process.`, {
        remedy: 'Nothing was lost: the other process goes on with it. See curlew runs.',
      });
    }
  }

  /** Gives the run back. Without effect when it was taken over. */
  release(run: RunId, token: FencingToken): void {
    this.#database.prepare('UPDATE run_owners SET owner = NULL WHERE run_id = ? AND token = ?').run(run, token);
  }
}

function hasLeft(holder: ProcessIdentity, silentMs: number): boolean {
  return lookUpProcess(holder) === 'dead' || silentMs >= OWNER_SILENT_MS;
}

function readOwner(json: string): ProcessIdentity {
  const { pid, began, machine } = JSON.parse(json);
  return { pid: Number(pid), began: String(began), machine: String(machine) };
}

function owned(run: RunId, holder: ProcessIdentity, silentMs: number): CurlewError {
  const seen = `last heard of ${Math.max(0, Math.round(silentMs / 1000))} s ago`;
  return new CurlewError(
    ErrorCode.runOwned,
    `Run ${run} is being worked on by process ${holder.pid} on ${holder.machine} (${seen}).`,
    { remedy: 'Let it finish, or stop it with Ctrl-C (SIGINT) and resume.' },
  );
}

// The runs: created, found, ended.

import type { Instant } from '../platform/clock.ts';
import type { Json } from '../platform/json.ts';
import type { Database } from './database.ts';
import { HEALTHS, type Health, RUN_STATUSES, type RunStatus } from './health.ts';
import { isoTime, readIsoTime } from './iso-time.ts';
import { type NewRun, RUN_KINDS, type Run, type RunId, type RunKind, TRIGGERS } from './run.ts';
import { isJson, readJson, requireJson } from './stored-json.ts';

type Row = Record<string, unknown>;

export class RunTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  create(run: NewRun, now: Instant): RunId {
    const { lastInsertRowid } = this.#database
      .prepare(
        `INSERT INTO runs (kind, trigger, name, source, params_json, settings, replay_of, status, started_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, 'running', ?)`,
      )
      .run(
        run.kind,
        run.trigger,
        run.name,
        run.source ?? null,
        JSON.stringify(run.params),
        JSON.stringify(run.settings),
        run.replayOf ?? null,
        isoTime(now),
      );
    return Number(lastInsertRowid) as RunId;
  }

  find(id: number): Run | undefined {
    const row = this.#database.prepare('SELECT * FROM runs WHERE id = ?').get(id);
    return row === undefined ? undefined : readRun(row);
  }

  latest(): Run | undefined {
    const row = this.#database.prepare('SELECT * FROM runs ORDER BY id DESC LIMIT 1').get();
    return row === undefined ? undefined : readRun(row);
  }

  /** The newest run of that kind and name. */
  latestOf(kind: RunKind, name: string): Run | undefined {
    const row = this.#database
      .prepare('SELECT * FROM runs WHERE kind = ? AND name = ? ORDER BY id DESC LIMIT 1')
      .get(kind, name);
    return row === undefined ? undefined : readRun(row);
  }

  /** Newest first. */
  list(limit: number): Run[] {
    return this.#database.prepare('SELECT * FROM runs ORDER BY id DESC LIMIT ?').all(limit).map(readRun);
  }

  /** The last completed run before `run` that was asked for the same thing. */
  predecessorOf(run: Run): Run | undefined {
    const row = this.#database
      .prepare(
        `SELECT * FROM runs WHERE id < ? AND kind = ? AND name = ? AND params_json = ? AND status = 'completed'
         ORDER BY id DESC LIMIT 1`,
      )
      .get(run.id, run.kind, run.name, JSON.stringify(run.params));
    return row === undefined ? undefined : readRun(row);
  }

  /** Sets where the run stands; ends it unless it is running. */
  setStatus(id: RunId, status: RunStatus, health: Health | undefined, error: string | undefined, now: Instant): void {
    this.#database
      .prepare('UPDATE runs SET status = ?, run_health = ?, error_summary = ?, ended_at = ? WHERE id = ?')
      .run(status, health ?? null, error ?? null, status === 'running' ? null : isoTime(now), id);
  }

  /** The cookies of the run's sessions, as they were saved. */
  sessionsOf(id: RunId): Json {
    const row = this.#database.prepare('SELECT cookies FROM sessions WHERE run_id = ?').get(id);
    return row === undefined ? {} : requireJson(row.cookies, `cookies of run ${id}`);
  }

  saveSessions(id: RunId, sessions: Json): void {
    this.#database
      .prepare(
        `INSERT INTO sessions (run_id, cookies) VALUES (?, ?)
         ON CONFLICT (run_id) DO UPDATE SET cookies = excluded.cookies`,
      )
      .run(id, JSON.stringify(sessions));
  }

  /** What is known of the run's declared sessions, as it was saved. */
  openedOf(id: RunId): Json {
    const row = this.#database.prepare('SELECT opened FROM sessions WHERE run_id = ?').get(id);
    return row === undefined || row.opened === null ? {} : requireJson(row.opened, `sessions of run ${id}`);
  }

  saveOpened(id: RunId, opened: Json): void {
    this.#database
      .prepare(
        `INSERT INTO sessions (run_id, cookies, opened) VALUES (?, '{}', ?)
         ON CONFLICT (run_id) DO UPDATE SET opened = excluded.opened`,
      )
      .run(id, JSON.stringify(opened));
  }

  addActiveTime(id: RunId, ms: number): void {
    this.#database.prepare('UPDATE runs SET active_ms = active_ms + ? WHERE id = ?').run(Math.round(ms), id);
  }
}

/** A row of `runs`. */
export function readRun(row: Row): Run {
  return {
    id: Number(row.id) as RunId,
    kind: RUN_KINDS.find((kind) => kind === row.kind) ?? 'scraper',
    trigger: TRIGGERS.find((trigger) => trigger === row.trigger) ?? 'cli',
    name: String(row.name),
    source: row.source === null ? undefined : String(row.source),
    params: readJson(row.params_json),
    settings: readJson(row.settings),
    replayOf: row.replay_of === null ? undefined : (Number(row.replay_of) as RunId),
    status: RUN_STATUSES.find((status) => status === row.status) ?? 'failed',
    health: HEALTHS.find((health) => health === row.run_health),
    error: errorOf(row),
    unreadable: unreadableIn(row),
    startedAt: readIsoTime(row.started_at),
    endedAt: row.ended_at === null ? undefined : readIsoTime(row.ended_at),
    activeMs: Number(row.active_ms),
  };
}

/** Names of the columns of a run that cannot be read. */
function unreadableIn(row: Row): string[] {
  return ['params_json', 'settings'].filter((name) => name in row && !isJson(row[name]));
}

/** What went wrong with a run, and what of its row cannot be read. */
export function errorOf(row: Row): string | undefined {
  const unread = unreadableIn(row);
  const notes = [
    ...(row.error_summary === null ? [] : [String(row.error_summary)]),
    ...(unread.length === 0 ? [] : [`Its ${unread.join(' and ')} cannot be read: not JSON.`]),
  ];
  return notes.length === 0 ? undefined : notes.join(' ');
}

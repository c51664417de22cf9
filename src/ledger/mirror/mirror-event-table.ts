// The mirror's rows of `events`. This is a sink: what is secret is gone before it is written.

import type { StatementSync } from 'node:sqlite';
import { redactSecrets } from '../../observe/redact.ts';
import type { Instant } from '../../platform/clock.ts';
import type { Database } from '../database.ts';
import { isoTime } from '../iso-time.ts';
import type { RunId } from '../run.ts';
import { readJson } from '../stored-json.ts';
import type { CaseId } from './case-row.ts';
import type { MirrorEvent, StoredMirrorEvent } from './mirror-event.ts';

export class MirrorEventTable {
  readonly #insert: StatementSync;
  readonly #ofCase: StatementSync;

  constructor(database: Database) {
    this.#insert = database.prepare(
      'INSERT INTO events (run_id, case_id, event_type, payload_json, created_at) VALUES (?, ?, ?, ?, ?)',
    );
    this.#ofCase = database.prepare('SELECT * FROM events WHERE case_id = ? ORDER BY id');
  }

  add(run: RunId | undefined, { label, caseId, fields }: MirrorEvent, now: Instant): void {
    this.#insert.run(run ?? null, caseId ?? null, label, redactSecrets(JSON.stringify(fields)), isoTime(now));
  }

  /** In the order in which they became true. */
  ofCase(id: CaseId): StoredMirrorEvent[] {
    return this.#ofCase.all(id).map((row) => ({
      id: Number(row.id),
      runId: row.run_id === null ? null : Number(row.run_id),
      label: String(row.event_type),
      fields: readJson(row.payload_json),
      at: String(row.created_at),
    }));
  }
}

// What each speculator whose ids may share a page with links says of that page, where it is not what its request came to. So
// the verdict of an id is that of its own speculator, whether the link or the number came first.

import type { StatementSync } from 'node:sqlite';
import type { Database } from './database.ts';
import type { RequestId } from './page-result.ts';
import type { Judgement } from './probe.ts';

const VERDICTS = ['hit', 'absent', 'failed'] as const satisfies readonly Judgement['verdict'][];

export class JudgementTable {
  readonly #insert: StatementSync;
  readonly #find: StatementSync;
  readonly #remove: StatementSync;

  constructor(database: Database) {
    this.#insert = database.prepare(
      'INSERT OR IGNORE INTO judgements (request_id, speculator, verdict, reason) VALUES (?, ?, ?, ?)',
    );
    this.#find = database.prepare('SELECT verdict, reason FROM judgements WHERE request_id = ? AND speculator = ?');
    this.#remove = database.prepare('DELETE FROM judgements WHERE request_id = ?');
  }

  /** What was said first stays. */
  add(request: RequestId, speculator: string, { verdict, reason }: Judgement): void {
    this.#insert.run(request, speculator, verdict, reason ?? null);
  }

  find(request: RequestId, speculator: string): Judgement | undefined {
    const row = this.#find.get(request, speculator);
    if (row === undefined) return undefined;
    const verdict = VERDICTS.find((one) => one === row.verdict) ?? 'failed';
    return { verdict, reason: row.reason === null ? undefined : String(row.reason) };
  }

  /** When the page is asked for again. */
  removeOf(request: RequestId): void {
    this.#remove.run(request);
  }
}

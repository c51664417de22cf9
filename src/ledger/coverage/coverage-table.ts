// Coverage statements as a run made them when it ended.

import type { Database } from '../database.ts';
import type { RunId } from '../run.ts';
import { readJson } from '../stored-json.ts';
import { ENTRY_KINDS, type EntryCoverage } from './entry-coverage.ts';

export const COVERAGE_SCHEMA = `
  -- What a run that has ended says about each of its entries.
  CREATE TABLE coverage (
    run_id INTEGER NOT NULL REFERENCES runs (id),
    entry TEXT NOT NULL,
    kind TEXT NOT NULL,                    -- links | sequence | list | index
    complete INTEGER,                      -- 1 | 0; NULL: it claims nothing
    expected INTEGER,                      -- items; NULL: nobody can say
    verdicts TEXT NOT NULL,                -- JSON: how many items have which verdict
    statement TEXT NOT NULL,
    PRIMARY KEY (run_id, entry)
  ) STRICT, WITHOUT ROWID;
`;

export class CoverageTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Puts `statements` in the place of what the run said before. */
  save(run: RunId, statements: readonly EntryCoverage[]): void {
    this.drop(run);
    const insert = this.#database.prepare(
      'INSERT INTO coverage (run_id, entry, kind, complete, expected, verdicts, statement) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    for (const { entry, kind, complete, expected, verdicts, statement } of statements) {
      insert.run(
        run,
        entry,
        kind,
        complete === null ? null : Number(complete),
        expected,
        JSON.stringify(verdicts),
        statement,
      );
    }
  }

  /** A run that goes on has nothing final to say. */
  drop(run: RunId): void {
    this.#database.prepare('DELETE FROM coverage WHERE run_id = ?').run(run);
  }

  of(run: RunId): EntryCoverage[] {
    return this.#database.prepare('SELECT * FROM coverage WHERE run_id = ? ORDER BY entry').all(run).map(readCoverage);
  }
}

function readCoverage(row: Record<string, unknown>): EntryCoverage {
  return {
    entry: String(row.entry),
    kind: ENTRY_KINDS.find((kind) => kind === row.kind) ?? 'links',
    complete: row.complete === null ? null : row.complete === 1,
    expected: row.expected === null ? null : Number(row.expected),
    verdicts: readJson(row.verdicts) as EntryCoverage['verdicts'],
    statement: String(row.statement),
  };
}

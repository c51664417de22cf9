// References between rows that SQLite does not watch over, since that would cost every write.

import type { Database } from '../database.ts';
import type { RunId } from '../run.ts';

export interface BrokenReference {
  /** The table of the row that refers. */
  readonly table: string;
  /** What names that row: its id, or the hash of a body. */
  readonly row: string;
  readonly run: RunId | undefined;
  /** What is wrong, as the end of a sentence about the row. */
  readonly problem: string;
}

interface Rule {
  readonly table: string;
  readonly problem: string;
  /** Gives `row` and `run`; `?1` is the run that is looked at, or NULL. */
  readonly sql: string;
}

const MOST = 1000;
const NO_REQUEST = 'belongs to a request that is not there';

const RULES: readonly Rule[] = [
  {
    table: 'requests',
    problem: 'belongs to a run that is not there',
    sql: `SELECT id AS row, run_id AS run FROM requests
      WHERE ?1 IS NULL AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = run_id)`,
  },
  {
    table: 'records',
    problem: NO_REQUEST,
    sql: `SELECT id AS row, run_id AS run FROM records
      WHERE run_id = coalesce(?1, run_id) AND NOT EXISTS (SELECT 1 FROM requests WHERE requests.id = request_id)`,
  },
  {
    table: 'exchanges',
    problem: NO_REQUEST,
    sql: `SELECT id AS row, NULL AS run FROM exchanges
      WHERE ?1 IS NULL AND NOT EXISTS (SELECT 1 FROM requests WHERE requests.id = request_id)`,
  },
  {
    table: 'exchanges',
    problem: 'lies in a segment that is not there',
    sql: `SELECT id AS row, NULL AS run FROM exchanges
      WHERE ?1 IS NULL AND NOT EXISTS (SELECT 1 FROM segments WHERE segments.id = segment_id)`,
  },
  {
    table: 'probes',
    problem: NO_REQUEST,
    sql: `SELECT probes.walk_id || ' ' || probes.id AS row, run_id AS run FROM probes JOIN walks ON walks.id = walk_id
      WHERE run_id = coalesce(?1, run_id) AND NOT EXISTS (SELECT 1 FROM requests WHERE requests.id = request_id)`,
  },
  {
    table: 'bodies',
    problem: 'does not lead to an exchange that holds this body',
    sql: `SELECT lower(hex(sha256)) AS row, NULL AS run FROM bodies LEFT JOIN exchanges ON exchanges.id = exchange_id
      WHERE ?1 IS NULL AND (exchanges.id IS NULL OR body_sha256 <> sha256 OR revisit_of IS NOT NULL OR file_path IS NOT NULL)`,
  },
  {
    table: 'downloads',
    problem: 'was downloaded, and no version of the file of its case has its content',
    sql: `SELECT id AS row, run_id AS run FROM downloads
      WHERE run_id = coalesce(?1, run_id) AND file_sha256 IS NOT NULL
        AND id IN (SELECT max(id) FROM downloads WHERE status = 'downloaded' GROUP BY case_id)
        AND NOT EXISTS (SELECT 1 FROM case_files
          WHERE case_files.case_id = downloads.case_id AND case_files.file_sha256 = downloads.file_sha256)`,
  },
];

export function findBrokenReferences(database: Database, run: RunId | undefined): BrokenReference[] {
  const tables = new Set(
    database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .all()
      .map(({ name }) => String(name)),
  );
  return RULES.filter(({ table }) => table !== 'downloads' || tables.has('case_files')).flatMap(
    ({ table, problem, sql }) =>
      database
        .prepare(`${sql} LIMIT ${MOST}`)
        .all(run ?? null)
        .map((row) => ({
          table,
          row: String(row.row),
          run: row.run === null ? undefined : (row.run as RunId),
          problem,
        })),
  );
}

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { scratchDirectory } from '../../../test/fixtures/scratch-directory.ts';
import { FakeClock } from '../../platform/fake-clock.ts';
import { LEDGER_FILE, Ledger } from '../ledger.ts';
import { MIGRATIONS } from '../schema.ts';

const scratch = scratchDirectory();

/** The tables that pipelines were promised: column, type, and whether NULL is refused. What is ours stands behind `added`. */
const PROMISED = {
  csv_versions: {
    columns: [
      'id INTEGER',
      'fetched_at TEXT!',
      'source_url TEXT!',
      'etag TEXT',
      'last_modified TEXT',
      'sha256 TEXT!',
      'row_count INTEGER!',
      'valid INTEGER!',
      'error_message TEXT',
      'file_path TEXT!',
    ],
    added: [
      'source TEXT!',
      'unreadable_count INTEGER! = 0',
      'unreadable_line INTEGER',
      'unreadable_reason TEXT',
      'without_file_count INTEGER! = 0',
      'without_file_line INTEGER',
    ],
  },
  cases: {
    columns: [
      'id INTEGER',
      'action_token_raw TEXT!',
      'action_token_norm TEXT!',
      'title TEXT',
      'cause_number TEXT',
      'court TEXT',
      'category TEXT',
      'judgment_date TEXT',
      'is_criminal INTEGER! = 0',
      'is_active INTEGER! = 1',
      'source TEXT!',
      'first_seen_version_id INTEGER!',
      'last_seen_version_id INTEGER!',
    ],
    added: ['subject TEXT', 'neutral_citation TEXT', 'other_json TEXT', 'revision INTEGER! = 0'],
  },
  case_history: {
    columns: [],
    added: [
      'id INTEGER',
      'case_id INTEGER!',
      'csv_version_id INTEGER!',
      'change TEXT!',
      'field TEXT',
      'old_value TEXT',
      'new_value TEXT',
    ],
  },
  runs: {
    columns: [
      'id INTEGER',
      'started_at TEXT!',
      'ended_at TEXT',
      "trigger TEXT! = 'cli'",
      "mode TEXT! = 'full'",
      // A run that found no index is recorded too, and runs of scrapers have none.
      'csv_version_id INTEGER',
      'params_json TEXT!',
      'status TEXT!',
      'error_summary TEXT',
      'cases_total INTEGER',
      'cases_planned INTEGER',
      'cases_attempted INTEGER',
      'cases_downloaded INTEGER',
      'cases_failed INTEGER',
      'cases_skipped INTEGER',
      'coverage_ratio REAL',
      'run_health TEXT',
    ],
    added: [
      'kind TEXT!',
      'name TEXT!',
      'source TEXT',
      'settings TEXT!',
      'replay_of INTEGER',
      'active_ms INTEGER! = 0',
      'refused_csv_version_id INTEGER',
    ],
  },
  downloads: {
    columns: [
      'id INTEGER',
      'run_id INTEGER!',
      'case_id INTEGER!',
      'status TEXT!',
      'attempt_count INTEGER! = 0',
      'last_attempt_at TEXT',
      'file_path TEXT',
      'file_size_bytes INTEGER',
      'box_url_last TEXT',
      'error_code TEXT',
      'error_message TEXT',
      'created_at TEXT!',
      'updated_at TEXT!',
    ],
    added: ['file_sha256 TEXT'],
  },
  case_files: {
    columns: [],
    added: [
      'id INTEGER',
      'case_id INTEGER!',
      'version INTEGER!',
      'run_id INTEGER!',
      'file_path TEXT!',
      'file_size_bytes INTEGER!',
      'file_sha256 TEXT!',
      'etag TEXT',
      'last_modified TEXT',
      'downloaded_at TEXT!',
      'checked_at TEXT!',
    ],
  },
  events: {
    columns: [
      'id INTEGER',
      'run_id INTEGER',
      'case_id INTEGER',
      'event_type TEXT!',
      'payload_json TEXT!',
      'created_at TEXT!',
    ],
    added: ['request_id INTEGER'],
  },
} as const;

async function openFile(): Promise<DatabaseSync> {
  const ledger = await Ledger.open(scratch(), { clock: new FakeClock() });
  await ledger.close();
  return new DatabaseSync(join(scratch(), LEDGER_FILE), { readOnly: true });
}

describe('the tables of a mirror', () => {
  it.each(Object.entries(PROMISED))(
    '%s has the columns that were promised, and those that were added',
    async (table, promised) => {
      const file = await openFile();
      const columns = file
        .prepare(`PRAGMA table_info(${table})`)
        .all()
        .map(
          ({ name, type, notnull, dflt_value: value }) =>
            `${name} ${type}${notnull === 1 ? '!' : ''}${value === null ? '' : ` = ${value}`}`,
        );
      file.close();
      expect(columns.sort()).toEqual([...promised.columns, ...promised.added].sort());
    },
  );

  it('has the indexes that were promised, and one row for each case of a source and of a run', async () => {
    const file = await openFile();
    const indexes = file
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index'`)
      .all()
      .map(({ name }) => name);
    const unique = ['cases', 'downloads'].flatMap((table) =>
      file
        .prepare(`PRAGMA index_list(${table})`)
        .all()
        .filter((index) => index.unique === 1)
        .map(({ name }) =>
          file
            .prepare(`PRAGMA index_info(${name})`)
            .all()
            .map((column) => column.name),
        ),
    );
    file.close();
    expect(indexes).toEqual(
      expect.arrayContaining([
        'idx_cases_token_norm',
        'idx_cases_source',
        'idx_runs_started_at',
        'idx_downloads_run_case',
        'idx_downloads_status',
      ]),
    );
    expect(unique).toEqual([
      ['source', 'action_token_norm'],
      ['run_id', 'case_id'],
    ]);
  });

  it('refers only to what is there', async () => {
    const file = await openFile();
    const targets = (table: string) =>
      file
        .prepare(`PRAGMA foreign_key_list(${table})`)
        .all()
        .map((key) => `${key.from} → ${key.table}`);
    expect(targets('cases').sort()).toEqual([
      'first_seen_version_id → csv_versions',
      'last_seen_version_id → csv_versions',
    ]);
    expect(targets('downloads').sort()).toEqual(['case_id → cases', 'run_id → runs']);
    expect(targets('runs')).toContain('csv_version_id → csv_versions');
    expect(targets('events').sort()).toEqual(['case_id → cases', 'run_id → runs']);
    file.close();
  });
});

describe('a mirror of an earlier edition', () => {
  it('has the files it held as first versions, and the state of its index', async () => {
    const before = MIGRATIONS.findIndex((step) => step.includes('CREATE TABLE index_checks'));
    const old = new DatabaseSync(join(scratch(), LEDGER_FILE));
    for (const step of MIGRATIONS.slice(0, before)) old.exec(step);
    const version = (id: number, valid: number) =>
      `INSERT INTO csv_versions VALUES (${id}, 'uj', '2026-01-0${id}', 'u', NULL, NULL, '', 1, ${valid}, NULL, '');`;
    const download = (run: number, status: string, sha: string) =>
      `INSERT INTO downloads (run_id, case_id, status, file_path, file_size_bytes, file_sha256, created_at, updated_at)
       VALUES (${run}, 1, '${status}', 'uj/A.pdf', 7, ${sha}, '', '2026-01-0${run}');`;
    const row = (line: number, reason: string) =>
      `INSERT INTO events (event_type, payload_json, created_at) VALUES
       ('DECISION', '{"csv_version_id":2,"decision":"unreadable_row","line":${line},"reason":"${reason}"}', '');`;
    old.exec(`${version(1, 1)} ${version(2, 1)} ${version(3, 0)}
      ${row(9, 'no token')} ${row(7, 'invalid token')} ${row(5, 'more cells than columns')}
      INSERT INTO events (event_type, payload_json, created_at) VALUES ('DECISION', 'no JSON', '');
      INSERT INTO cases (action_token_raw, action_token_norm, source, first_seen_version_id, last_seen_version_id)
      VALUES ('A', 'A', 'uj', 1, 1), ('B', 'B', 'uj', 1, 1);
      INSERT INTO runs (kind, name, params_json, settings, status, started_at)
      VALUES ('mirror', 'uj', '{}', '{}', 'completed', ''), ('mirror', 'uj', '{}', '{}', 'completed', ''),
        ('mirror', 'uj', '{}', '{}', 'completed', '');
      ${download(1, 'downloaded', "'aa'")} ${download(2, 'downloaded', "'bb'")} ${download(3, 'failed', 'NULL')}
      PRAGMA user_version = ${before};`);
    old.close();
    const ledger = await Ledger.open(scratch(), { clock: new FakeClock() });
    const facts = await ledger.mirror.caseFacts('uj');
    const check = await ledger.mirror.indexCheck('uj');
    const versions = await ledger.mirror.versions('uj', 3);
    await ledger.close();
    const [one, other] = facts.map(({ held }) => held);
    expect(one).toMatchObject({ version: 1, filePath: 'uj/A.pdf', sha256: 'bb', runId: 2, downloadedAt: '2026-01-02' });
    expect(other).toBeUndefined();
    expect(versions.map(({ unreadableRows, rowsWithoutFile }) => [unreadableRows, rowsWithoutFile])).toEqual([
      [null, null],
      [
        { count: 2, line: 5, reason: 'more cells than columns' },
        { count: 1, line: 9, reason: 'no token' },
      ],
      [null, null],
    ]);
    expect(check).toEqual({
      source: 'uj',
      checkedAt: '2026-01-03',
      versionId: 2,
      confirmedAt: '2026-01-02',
      refusedVersionId: 3,
    });
  });
});

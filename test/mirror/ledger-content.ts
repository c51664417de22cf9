// Everything a mirror's ledger says about its court: all rows and columns of all its tables, but for what by nature differs
// between two mirrors of the same court, which is listed here, once, with its reason.

import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { LEDGER_FILE } from '../../src/ledger/ledger.ts';

/** Columns that are not compared. */
const APART: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  csv_versions: {
    fetched_at: 'a time',
    file_path: 'has that time in it',
  },
  cases: {
    revision: 'numbers the changes in the order they came, which is chance with four files at once; compared as a set',
  },
  case_history: {},
  downloads: {
    id: 'counts the rows of all runs',
    run_id: 'says in which of the runs it was',
    last_attempt_at: 'a time',
    created_at: 'a time',
    updated_at: 'a time',
    box_url_last: 'each asking gives another address, and a file that a killed run left is taken over without one',
  },
  case_files: {
    id: 'counts the files in the order they came',
    run_id: 'says in which of the runs it was',
    downloaded_at: 'a time',
    checked_at: 'a time',
    etag: 'a file that a killed run left is taken over without one',
    last_modified: 'the same',
  },
  runs: {
    id: 'counts the runs',
    mode: 'the first is full, the others resume',
    params_json: 'has that mode in it',
    started_at: 'a time',
    ended_at: 'a time',
    active_ms: 'a time',
    cases_planned: 'a resume plans what is left; how many were downloaded in all is compared',
    cases_attempted: 'the same',
    cases_downloaded: 'the same',
  },
  events: {
    id: 'counts the events of all runs',
    run_id: 'says in which of the runs it was',
    created_at: 'a time',
  },
};

/** Fields of events that are not compared: as `downloads.box_url_last`. */
const APART_IN_EVENTS: ReadonlySet<string> = new Set(['box_url']);

type Row = Record<string, SQLOutputValue>;

/**
 * Compare it with that of another mirror. Rows that a run leaves when it is killed are not in it: its own row (`aborted`),
 * its downloads that did not come to an end, and what it told about itself; `diedOnTheWay` has those.
 */
export function ledgerContent(data: string) {
  return reading(data, (table) => {
    const downloads = table('downloads');
    const runs = table('runs');
    return {
      csvVersions: table('csv_versions').map((row) => without('csv_versions', row)),
      cases: table('cases').map((row) => without('cases', row)),
      revisions: table('cases')
        .map(({ revision }) => Number(revision))
        .sort((a, b) => a - b),
      caseHistory: table('case_history').map((row) => without('case_history', row)),
      downloads: sorted(downloads.filter(isEnded).map((row) => without('downloads', row))),
      caseFiles: sorted(table('case_files').map((row) => without('case_files', row))),
      lastRun: runs.slice(-1).map((row) => without('runs', row)),
      downloadedInAll: runs.reduce((sum, { cases_downloaded: count }) => sum + Number(count), 0),
      events: [...new Set(table('events').flatMap(eventOf))].sort(),
    };
  });
}

/** The rows that runs left which did not end by themselves. */
export function diedOnTheWay(data: string) {
  return reading(data, (table) => ({
    runs: table('runs')
      .slice(0, -1)
      .map(({ status, error_summary }) => ({ status, error_summary })),
    downloads: table('downloads').filter((row) => !isEnded(row)),
  }));
}

/** Tokens of the cases whose file the ledger says is held. */
export function heldTokens(data: string): string[] {
  return reading(data, (_, database) =>
    database
      .prepare(
        `SELECT action_token_norm FROM cases WHERE id IN (SELECT case_id FROM downloads WHERE status = 'downloaded')`,
      )
      .all()
      .map((row) => String(row.action_token_norm)),
  );
}

function reading<T>(data: string, read: (table: (name: string) => Row[], database: DatabaseSync) => T): T {
  const database = new DatabaseSync(`${data}/${LEDGER_FILE}`, { readOnly: true });
  try {
    return read((name) => database.prepare(`SELECT * FROM ${name} ORDER BY id`).all(), database);
  } finally {
    database.close();
  }
}

function isEnded({ status }: Row): boolean {
  return status !== 'pending' && status !== 'in_progress';
}

function without(table: string, row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([column]) => APART[table]?.[column] === undefined));
}

/** By case: the order of the rows is that in which the files came. */
function sorted(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => Number(a.case_id) - Number(b.case_id));
}

/**
 * What was told about a case or found in the index, each thing once: a run that goes on tells the beginning again. None for
 * what runs tell about themselves, and for taking over a file, which an undisturbed run has no need of.
 */
function eventOf(row: Row): string[] {
  const fields = Object.entries(JSON.parse(String(row.payload_json))).filter(([name]) => !APART_IN_EVENTS.has(name));
  const payload = Object.fromEntries(fields);
  const isOfIndex = row.event_type === 'DECISION' && payload.phase === 'csv_sync';
  if ((row.case_id === null && !isOfIndex) || payload.decision === 'adopt') return [];
  return [JSON.stringify({ ...without('events', row), payload_json: payload })];
}

// The last look at each index: which version is in use, when the site last confirmed it, and what was refused since.

import type { Database } from '../database.ts';
import { textOrNull, type VersionId } from './csv-version.ts';

export interface IndexCheck {
  readonly source: string;
  /** When the index was last asked for. ISO 8601, UTC, as the other time. */
  readonly checkedAt: string;
  /** The version in use; null when there was never a good one. */
  readonly versionId: VersionId | null;
  /** When the site last gave the version in use, or said that it has not changed. */
  readonly confirmedAt: string | null;
  /** What the last look brought, when that could not be used. */
  readonly refusedVersionId: VersionId | null;
}

export class IndexCheckTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  find(source: string): IndexCheck | undefined {
    const row = this.#database.prepare('SELECT * FROM index_checks WHERE source = ?').get(source);
    return row === undefined ? undefined : readCheck(row);
  }

  /** The site gave this version, or said that it has not changed. */
  confirm(source: string, version: VersionId, at: string): void {
    this.#database
      .prepare(
        `INSERT INTO index_checks (source, checked_at, csv_version_id, confirmed_at) VALUES (?1, ?2, ?3, ?2)
         ON CONFLICT (source) DO UPDATE
         SET checked_at = ?2, csv_version_id = ?3, confirmed_at = ?2, refused_version_id = NULL`,
      )
      .run(source, at, version);
  }

  /** What came could not be used: the version in use stays, and so does the time at which it was confirmed. */
  refuse(source: string, refused: VersionId, at: string): void {
    this.#database
      .prepare(
        `INSERT INTO index_checks (source, checked_at, refused_version_id) VALUES (?1, ?2, ?3)
         ON CONFLICT (source) DO UPDATE SET checked_at = ?2, refused_version_id = ?3`,
      )
      .run(source, at, refused);
  }
}

function readCheck(row: Record<string, unknown>): IndexCheck {
  const version = (id: unknown) => (id === null ? null : (Number(id) as VersionId));
  return {
    source: String(row.source),
    checkedAt: String(row.checked_at),
    versionId: version(row.csv_version_id),
    confirmedAt: textOrNull(row.confirmed_at),
    refusedVersionId: version(row.refused_version_id),
  };
}

// The versions of each source's index.

import type { Database } from '../database.ts';
import { type CsvVersion, type NewCsvVersion, readVersion, type VersionId } from './csv-version.ts';

export class CsvVersionTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** `refusal` says why its cases are not taken over; null when they are. */
  add(version: NewCsvVersion, refusal: string | null): VersionId {
    const { lastInsertRowid } = this.#database
      .prepare(
        `INSERT INTO csv_versions
           (source, fetched_at, source_url, etag, last_modified, sha256, row_count, valid, error_message, file_path,
            unreadable_count, unreadable_line, unreadable_reason, without_file_count, without_file_line)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        version.source,
        version.fetchedAt,
        version.sourceUrl,
        version.etag,
        version.lastModified,
        version.sha256,
        version.rowCount,
        refusal === null ? 1 : 0,
        refusal,
        version.filePath,
        version.unreadableRows?.count ?? 0,
        version.unreadableRows?.line ?? null,
        version.unreadableRows?.reason ?? null,
        version.rowsWithoutFile?.count ?? 0,
        version.rowsWithoutFile?.line ?? null,
      );
    return Number(lastInsertRowid) as VersionId;
  }

  find(id: number): CsvVersion | undefined {
    const row = this.#database.prepare('SELECT * FROM csv_versions WHERE id = ?').get(id);
    return row === undefined ? undefined : readVersion(row);
  }

  /** The newest of the source, taken over or not. */
  latest(source: string): CsvVersion | undefined {
    const row = this.#database
      .prepare('SELECT * FROM csv_versions WHERE source = ? ORDER BY id DESC LIMIT 1')
      .get(source);
    return row === undefined ? undefined : readVersion(row);
  }

  /** The newest of the source that was taken over. */
  lastGood(source: string): CsvVersion | undefined {
    const row = this.#database
      .prepare('SELECT * FROM csv_versions WHERE source = ? AND valid = 1 ORDER BY id DESC LIMIT 1')
      .get(source);
    return row === undefined ? undefined : readVersion(row);
  }

  /** The one of the same source that was taken over last before `version`. */
  predecessorOf({ id, source }: CsvVersion): CsvVersion | undefined {
    const row = this.#database
      .prepare('SELECT * FROM csv_versions WHERE source = ? AND valid = 1 AND id < ? ORDER BY id DESC LIMIT 1')
      .get(source, id);
    return row === undefined ? undefined : readVersion(row);
  }

  /** Newest first. */
  list(source: string, limit: number): CsvVersion[] {
    return this.#database
      .prepare('SELECT * FROM csv_versions WHERE source = ? ORDER BY id DESC LIMIT ?')
      .all(source, limit)
      .map(readVersion);
  }
}

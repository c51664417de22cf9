// One fetch of a source's index, as the ledger keeps it: taken over, or refused with the reason.

/** The number of a version of an index in its data directory. */
export type VersionId = number & { readonly brand: 'VersionId' };

export interface NewCsvVersion {
  readonly source: string;
  /** ISO 8601, UTC. */
  readonly fetchedAt: string;
  readonly sourceUrl: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Hex; empty when no bytes came. */
  readonly sha256: string;
  /** Data rows, the header not counted. */
  readonly rowCount: number;
  /** Under the data directory; empty when no bytes came. */
  readonly filePath: string;
}

export interface CsvVersion extends NewCsvVersion {
  readonly id: VersionId;
  readonly valid: boolean;
  /** Why it was refused. */
  readonly errorMessage: string | null;
}

export function readVersion(row: Record<string, unknown>): CsvVersion {
  return {
    id: Number(row.id) as VersionId,
    source: String(row.source),
    fetchedAt: String(row.fetched_at),
    sourceUrl: String(row.source_url),
    etag: textOrNull(row.etag),
    lastModified: textOrNull(row.last_modified),
    sha256: String(row.sha256),
    rowCount: Number(row.row_count),
    valid: Number(row.valid) === 1,
    errorMessage: textOrNull(row.error_message),
    filePath: String(row.file_path),
  };
}

/** A column that may be NULL. */
export function textOrNull(column: unknown): string | null {
  return column === null || column === undefined ? null : String(column);
}

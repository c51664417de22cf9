// One fetch of a source's index, as the ledger keeps it: taken over, or refused with the reason.

/** The number of a version of an index in its data directory. */
export type VersionId = number & { readonly brand: 'VersionId' };

/** Rows of one version that have the same fault. */
export interface OddRows {
  readonly count: number;
  /** Of the first; the header is line 1. */
  readonly line: number;
  /** What is wrong with the first. */
  readonly reason: string;
}

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
  /** Rows that no case could be made from, although they may have one; null when there are none. */
  readonly unreadableRows: OddRows | null;
  /** Rows that name a case and no file of it; null when there are none. */
  readonly rowsWithoutFile: OddRows | null;
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
    unreadableRows: readOddRows(row.unreadable_count, row.unreadable_line, row.unreadable_reason),
    rowsWithoutFile: readOddRows(row.without_file_count, row.without_file_line, 'no token'),
    valid: Number(row.valid) === 1,
    errorMessage: textOrNull(row.error_message),
    filePath: String(row.file_path),
  };
}

function readOddRows(count: unknown, line: unknown, reason: unknown): OddRows | null {
  return Number(count) === 0 ? null : { count: Number(count), line: Number(line), reason: String(reason) };
}

/** A column that may be NULL. */
export function textOrNull(column: unknown): string | null {
  return column === null || column === undefined ? null : String(column);
}

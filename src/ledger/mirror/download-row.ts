// One case in one run, as the ledger keeps it.

import type { RunId } from '../run.ts';
import type { CaseId } from './case-row.ts';
import { textOrNull } from './csv-version.ts';
import { type DownloadStatus, readStatus } from './download-status.ts';

export interface DownloadRow {
  readonly id: number;
  readonly runId: RunId;
  readonly caseId: CaseId;
  readonly status: DownloadStatus;
  readonly attemptCount: number;
  /** ISO 8601, UTC, as the other times. */
  readonly lastAttemptAt: string | null;
  /** Under `pdfs/`. */
  readonly filePath: string | null;
  readonly fileSizeBytes: number | null;
  readonly fileSha256: string | null;
  /** Without its signature. */
  readonly boxUrlLast: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A file that was checked and is in its place. */
export interface VerifiedFile {
  /** From 1. Other bytes are another version. */
  readonly version: number;
  /** Under `pdfs/`, with `/` between its parts. */
  readonly filePath: string;
  readonly sizeBytes: number;
  /** Hex. */
  readonly sha256: string;
  /** What the file server said of it, if the same words mean the same bytes; else null. */
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** What is to become of a download. */
export type DownloadChange =
  /** Another attempt begins. */
  | { readonly to: 'in_progress'; readonly boxUrl?: string | undefined }
  | { readonly to: 'downloaded'; readonly file: VerifiedFile; readonly boxUrl?: string | undefined }
  | {
      readonly to: 'failed' | 'skipped';
      readonly errorCode: string;
      readonly errorMessage: string | null;
      readonly boxUrl?: string | undefined;
    }
  /** Handed back untouched, because the run stops. */
  | { readonly to: 'pending' };

export function readDownload(row: Record<string, unknown>): DownloadRow {
  return {
    id: Number(row.id),
    runId: Number(row.run_id) as RunId,
    caseId: Number(row.case_id) as CaseId,
    status: readStatus(row.status),
    attemptCount: Number(row.attempt_count),
    lastAttemptAt: textOrNull(row.last_attempt_at),
    filePath: textOrNull(row.file_path),
    fileSizeBytes: row.file_size_bytes === null ? null : Number(row.file_size_bytes),
    fileSha256: textOrNull(row.file_sha256),
    boxUrlLast: textOrNull(row.box_url_last),
    errorCode: textOrNull(row.error_code),
    errorMessage: textOrNull(row.error_message),
    createdAt: String(row.created_at),
    updatedAt: String(row.updated_at),
  };
}

// The cases that are held, as rows for people and programs.

import { posix } from 'node:path';
import type { StoredCase } from '../../ledger/mirror/case-row.ts';
import type { DownloadFilter } from '../../ledger/mirror/download-report.ts';
import type { DownloadRow } from '../../ledger/mirror/download-row.ts';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import { parseJudgmentDate } from '../csv/parse-judgment-date.ts';

export interface DownloadedCaseRow {
  /** Normalised: also the name of the file. */
  readonly actions_token: string;
  readonly title: string | null;
  readonly subject: string | null;
  readonly court: string | null;
  readonly category: string | null;
  readonly judgment_date: string | null;
  /** `YYYY-MM-DD`; empty when the date cannot be read. */
  readonly sort_judgment_date: string;
  readonly cause_number: string | null;
  /** Null, as what follows, unless it was downloaded. */
  readonly downloaded_at: string | null;
  /** Under the data directory. */
  readonly saved_path: string | null;
  readonly filename: string | null;
  /** Of 1024 bytes, with one decimal. */
  readonly size_kb: number | null;
  readonly source: string;
}

/** One row for each case: its newest download that fits. Those that were downloaded, unless another status is given. */
export async function listDownloadedCases(
  ledger: MirrorLedger,
  { status = 'downloaded', ...filter }: DownloadFilter = {},
): Promise<DownloadedCaseRow[]> {
  const found = await ledger.listDownloads({ ...filter, status });
  return found.map(({ case: held, download }) => rowOf(held, download));
}

function rowOf(held: StoredCase, { status, filePath, fileSizeBytes, updatedAt }: DownloadRow): DownloadedCaseRow {
  return {
    actions_token: held.actionTokenNorm,
    title: held.title,
    subject: held.subject,
    court: held.court,
    category: held.category,
    judgment_date: held.judgmentDate,
    sort_judgment_date: parseJudgmentDate(held.judgmentDate ?? '') ?? '',
    cause_number: held.causeNumber,
    downloaded_at: status === 'downloaded' ? updatedAt : null,
    saved_path: filePath === null ? null : `pdfs/${filePath}`,
    filename: filePath === null ? null : posix.basename(filePath),
    size_kb: fileSizeBytes === null ? null : Math.round((fileSizeBytes / 1024) * 10) / 10,
    source: held.source,
  };
}

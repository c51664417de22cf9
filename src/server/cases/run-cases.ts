// What became of the cases of one mirror run, in that run.

import type { Ledger } from '../../ledger/ledger.ts';
import type { ReportedRun } from '../../ledger/reports/run-report.ts';
import type { RunCaseRow } from '../contract/cases.ts';
import type { InputOf } from '../contract/routes.ts';
import { cleanText } from '../http/clean.ts';

type Query = InputOf<'runCases'>['query'];

export async function runCases(
  { mirror }: Ledger,
  run: ReportedRun,
  { status, reason, search, sort, order }: Query,
): Promise<RunCaseRow[]> {
  const wanted = search?.toLowerCase();
  const sign = order === 'asc' ? 1 : -1;
  return (await mirror.listDownloads({ runId: run.id }))
    .map(({ case: known, download }): RunCaseRow => {
      return {
        id: known.id,
        source: known.source,
        token: known.actionTokenNorm,
        title: known.title,
        status: download.status,
        attempts: download.attemptCount,
        lastAttemptAt: download.lastAttemptAt,
        reason: download.errorCode,
        message: cleanText(download.errorMessage ?? undefined),
        sizeBytes: download.fileSizeBytes,
        sha256: download.fileSha256,
      };
    })
    .filter((row) => fits(row, status) && (reason === undefined || row.reason === reason))
    .filter((row) => wanted === undefined || has(row, wanted))
    .sort((a, b) => {
      const [one, other] = [a[sort], b[sort]];
      // What is not known comes last, whatever the order.
      if (one === null || other === null) return one === other ? a.id - b.id : one === null ? 1 : -1;
      return one === other ? a.id - b.id : one < other ? -sign : sign;
    });
}

function fits({ status }: RunCaseRow, wanted: Query['status']): boolean {
  if (wanted === 'unfinished') return status === 'pending' || status === 'in_progress';
  return wanted === undefined || status === wanted;
}

function has({ title, token, reason, message }: RunCaseRow, wanted: string): boolean {
  return [title, token, reason, message].join('\n').toLowerCase().includes(wanted);
}

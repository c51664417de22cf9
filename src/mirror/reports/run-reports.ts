// Runs as they are shown: on the command line and over HTTP, with the same keys.

import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import type { MirrorRun } from '../../ledger/mirror/mirror-run.ts';
import { runNotFound } from '../../ledger/summarise.ts';

export interface RunRow {
  readonly id: number;
  readonly trigger: string;
  readonly mode: string;
  readonly csv_version_id: number | null;
  readonly status: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly error_summary: string | null;
}

export interface RunWithDownloads extends RunRow {
  readonly downloads: {
    readonly total: number;
    readonly downloaded: number;
    readonly failed: number;
    readonly skipped: number;
    readonly pending: number;
    readonly in_progress: number;
  };
}

/** Coverage is null until the run has ended. */
interface RunCoverageRow {
  readonly cases_total: number | null;
  readonly cases_planned: number | null;
  readonly cases_attempted: number | null;
  readonly cases_downloaded: number | null;
  readonly cases_failed: number | null;
  readonly cases_skipped: number | null;
  readonly coverage_ratio: number | null;
  readonly run_health: string | null;
}

export type ListedRun = RunRow & RunCoverageRow & { readonly target_source: string };

export type RunHealthRow = RunCoverageRow & { readonly run_id: number };

const DEFAULT_LIMIT = 20;
const MOST_RUNS = 200;

/** The newest run, of every source when none is given; undefined when there is none. */
export async function latestRun(ledger: MirrorLedger, source?: string): Promise<RunRow | undefined> {
  const [run] = await ledger.runs(source, 1);
  return run === undefined ? undefined : rowOf(run);
}

export async function latestRunWithDownloads(
  ledger: MirrorLedger,
  source?: string,
): Promise<RunWithDownloads | undefined> {
  const [run] = await ledger.runs(source, 1);
  return run === undefined ? undefined : withDownloads(ledger, run);
}

/** Throws `run_not_found`. */
export async function runWithDownloads(ledger: MirrorLedger, id: number): Promise<RunWithDownloads> {
  return withDownloads(ledger, await requireRun(ledger, id));
}

/** Newest first. The limit is moved into 1 … 200. */
export async function listRecentRuns(
  ledger: MirrorLedger,
  { limit = DEFAULT_LIMIT, source }: { readonly limit?: number; readonly source?: string } = {},
): Promise<ListedRun[]> {
  const runs = await ledger.runs(source, Math.min(Math.max(limit, 1), MOST_RUNS));
  return runs.map((run) => ({ ...rowOf(run), ...coverageOf(run), target_source: run.source }));
}

/** Throws `run_not_found`. */
export async function runHealthOf(ledger: MirrorLedger, id: number): Promise<RunHealthRow> {
  return { run_id: id, ...coverageOf(await requireRun(ledger, id)) };
}

/** Throws `run_not_found`. */
export async function requireRun(ledger: MirrorLedger, id: number): Promise<MirrorRun> {
  const run = await ledger.run(id);
  if (run === undefined) throw runNotFound(id);
  return run;
}

async function withDownloads(ledger: MirrorLedger, run: MirrorRun): Promise<RunWithDownloads> {
  const { byStatus } = await ledger.countDownloads(run.id);
  const { downloaded, failed, skipped, pending, in_progress } = byStatus;
  const total = downloaded + failed + skipped + pending + in_progress;
  return { ...rowOf(run), downloads: { total, downloaded, failed, skipped, pending, in_progress } };
}

function rowOf({ id, trigger, mode, csvVersionId, status, startedAt, endedAt, errorSummary }: MirrorRun): RunRow {
  return {
    id,
    trigger,
    mode,
    csv_version_id: csvVersionId,
    status,
    started_at: startedAt,
    ended_at: endedAt,
    error_summary: errorSummary,
  };
}

function coverageOf({ coverage, coverageRatio, runHealth }: MirrorRun): RunCoverageRow {
  return {
    cases_total: coverage?.casesTotal ?? null,
    cases_planned: coverage?.casesPlanned ?? null,
    cases_attempted: coverage?.casesAttempted ?? null,
    cases_downloaded: coverage?.casesDownloaded ?? null,
    cases_failed: coverage?.casesFailed ?? null,
    cases_skipped: coverage?.casesSkipped ?? null,
    coverage_ratio: coverageRatio,
    run_health: runHealth,
  };
}

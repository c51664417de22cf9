// A run of the mirror, as the ledger keeps it: a row of `runs` with the kind `mirror` and the source as its name.

import type { Json } from '../../platform/json.ts';
import { HEALTHS, type Health, RUN_STATUSES, type RunStatus } from '../health.ts';
import type { RunId, Trigger } from '../run.ts';
import { errorOf } from '../run-table.ts';
import { readJson } from '../stored-json.ts';
import { textOrNull, type VersionId } from './csv-version.ts';
import type { RunCoverage } from './run-coverage.ts';

export const MODES = ['full', 'new', 'resume'] as const;
/** `new`: what is not held yet. `full`: every case, also those held. `resume`: what earlier runs left. */
export type Mode = (typeof MODES)[number];

export interface NewMirrorRun {
  readonly source: string;
  readonly trigger: Trigger;
  readonly mode: Mode;
  /** Undefined until the index has been fetched. */
  readonly csvVersionId: VersionId | undefined;
  readonly params: Json;
}

export interface MirrorRun {
  readonly id: RunId;
  readonly source: string;
  readonly trigger: string;
  readonly mode: Mode;
  readonly csvVersionId: VersionId | null;
  /** What the index had become when the run asked for it, if that could not be used. */
  readonly refusedVersionId: VersionId | null;
  readonly params: Json;
  readonly status: RunStatus;
  readonly errorSummary: string | null;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** Undefined until the run has ended. */
  readonly coverage: RunCoverage | undefined;
  readonly coverageRatio: number | null;
  readonly runHealth: Health | null;
}

export function readMirrorRun(row: Record<string, unknown>): MirrorRun {
  return {
    id: Number(row.id) as RunId,
    source: String(row.name),
    trigger: String(row.trigger),
    mode: MODES.find((mode) => mode === row.mode) ?? 'full',
    csvVersionId: row.csv_version_id === null ? null : (Number(row.csv_version_id) as VersionId),
    refusedVersionId: row.refused_csv_version_id === null ? null : (Number(row.refused_csv_version_id) as VersionId),
    params: readJson(row.params_json),
    status: RUN_STATUSES.find((status) => status === row.status) ?? 'failed',
    errorSummary: errorOf(row) ?? null,
    startedAt: String(row.started_at),
    endedAt: textOrNull(row.ended_at),
    coverage: row.cases_attempted === null ? undefined : readCoverage(row),
    coverageRatio: row.coverage_ratio === null ? null : Number(row.coverage_ratio),
    runHealth: HEALTHS.find((health) => health === row.run_health) ?? null,
  };
}

function readCoverage(row: Record<string, unknown>): RunCoverage {
  return {
    casesTotal: Number(row.cases_total),
    casesPlanned: Number(row.cases_planned),
    casesAttempted: Number(row.cases_attempted),
    casesDownloaded: Number(row.cases_downloaded),
    casesFailed: Number(row.cases_failed),
    casesSkipped: Number(row.cases_skipped),
  };
}

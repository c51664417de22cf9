// What a run of the mirror is asked for.

import type { Mode } from '../ledger/mirror/mirror-run.ts';
import type { Trigger } from '../ledger/run.ts';
import type { Json } from '../platform/json.ts';

export const RESUME_STRATEGIES = ['none', 'retry_failed_only', 'redo_in_progress', 'auto'] as const;
/** What a resume takes up of earlier runs: nothing but the index, what failed, what never ended, or both. */
export type ResumeStrategy = (typeof RESUME_STRATEGIES)[number];

/** What a run of the mirror is asked for. */
export interface ScrapeParams {
  readonly mode: Mode;
  /** Id of a source. */
  readonly targetSource: string;
  /** Between two cases; ±20 %. */
  readonly perDownloadDelayMs: number;
  /** Attempts per case. */
  readonly maxRetries: number;
  /** Files fetched at once. */
  readonly concurrency: number;
  readonly resumeStrategy: ResumeStrategy;
  /** Plan, and fetch nothing. */
  readonly dryRun: boolean;
  /** Most cases of the run; undefined: all. */
  readonly limit: number | undefined;
  /** Tokens of the only cases to be fetched, again if they are held; undefined: what the mode says. */
  readonly cases?: readonly string[] | undefined;
  readonly trigger: Trigger;
  /** Take over an index in which more than 20 % of the active cases are gone. */
  readonly acceptShrink: boolean;
  /** Be content with the last good index when the site's cannot be used. It is said all the same. Default false. */
  readonly staleIndexOk?: boolean | undefined;
}

/** As they stand in `runs.params_json`. */
export function paramsJson(params: ScrapeParams): Json {
  return {
    mode: params.mode,
    target_source: params.targetSource,
    per_download_delay: params.perDownloadDelayMs / 1_000,
    max_retries: params.maxRetries,
    concurrency: params.concurrency,
    resume_strategy: params.resumeStrategy,
    dry_run: params.dryRun,
    limit: params.limit ?? null,
    accept_shrink: params.acceptShrink,
    stale_index_ok: params.staleIndexOk ?? false,
    ...(params.cases !== undefined && { cases: [...params.cases] }),
  };
}

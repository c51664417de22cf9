// How far a run of the mirror is, for those who watch.

import type { FailureCode } from './error-codes.ts';

/** What a case came to for this run. */
export type SettledCase =
  /** `bytes`: as many as came; 0 when it was there already. */
  { readonly kind: 'downloaded'; readonly bytes: number } | { readonly kind: 'failed'; readonly code: FailureCode };

/** How far a run of the mirror is. */
export interface ScrapeProgress {
  readonly runId: number;
  /** Size of the worklist. */
  readonly planned: number;
  readonly downloaded: number;
  readonly failed: number;
  /** Bytes fetched. */
  readonly bytes: number;
  readonly elapsedMs: number;
}

export function settle(progress: ScrapeProgress, settled: SettledCase, elapsedMs: number): ScrapeProgress {
  if (settled.kind === 'failed') return { ...progress, failed: progress.failed + 1, elapsedMs };
  const bytes = progress.bytes + settled.bytes;
  return { ...progress, downloaded: progress.downloaded + 1, bytes, elapsedMs };
}

// Whether a case is tried again in the same run, and after how long. Pure, and the only place that decides it.

import { errorCodeNamed, MIRROR_ERRORS } from './error-codes.ts';

export type RetryKind = 'capped' | 'non_retryable' | 'retryable' | 'unknown';

export interface RetryDecision {
  readonly retry: boolean;
  readonly kind: RetryKind;
  /** How long to wait before the next attempt; 0 when there is none. */
  readonly backoffMs: number;
}

const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 30_000;

/**
 * `attempt` counts from 1 and is the one that failed; `failedSo` attempts have failed with this code, this one included. A
 * code to be tried once more is, whatever the number of attempts, as long as there is one left. `errorCode` may be an
 * alias; one that is on no list, or none, is tried again while there is more than one attempt left.
 */
export function decideRetry(
  errorCode: string | undefined,
  httpStatus: number | undefined,
  attempt: number,
  maxAttempts: number,
  failedSo: number = attempt,
): RetryDecision {
  const kind = kindOf(errorCode, httpStatus, attempt, maxAttempts, failedSo);
  const retry = kind === 'retryable' || (kind === 'unknown' && attempt < maxAttempts - 1);
  return { retry, kind, backoffMs: retry ? backoffMs(attempt) : 0 };
}

/** 1, 2, 4, … 30 seconds. */
function backoffMs(attempt: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** Math.max(0, attempt - 1), LONGEST_BACKOFF_MS);
}

function kindOf(
  errorCode: string | undefined,
  httpStatus: number | undefined,
  attempt: number,
  maxAttempts: number,
  failedSo: number,
): RetryKind {
  if (attempt >= maxAttempts) return 'capped';
  const code = errorCode === undefined ? undefined : errorCodeNamed(errorCode);
  const rule = code === undefined ? undefined : MIRROR_ERRORS[code].retry;
  if (rule === 'never') return 'non_retryable';
  if (rule === 'yes' || (httpStatus ?? 0) >= 500) return 'retryable';
  if (rule === 'once') return failedSo <= 1 ? 'retryable' : 'capped';
  return 'unknown';
}

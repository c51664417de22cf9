// Whether to try again and when: the wait doubles with each attempt, and jitter only ever adds to it. Pure: who asks
// keeps the count and does the waiting.

import type { Random } from '../../platform/random.ts';

export interface RetrySettings {
  /** Attempts in all, the first included. Default 3. */
  readonly attempts: number;
  /** Wait after the first attempt; doubled after each further one. Default 2,000 ms. */
  readonly baseDelayMs: number;
  /** Largest part of the wait that chance adds to it. Default 0.1. */
  readonly jitter: number;
}

export const defaultRetrySettings: RetrySettings = { attempts: 3, baseDelayMs: 2_000, jitter: 0.1 };

export type RetryDecision = { readonly kind: 'retry'; readonly delayMs: number } | { readonly kind: 'give_up' };

/** What follows when `attempt` (counted from 1) has failed in a way that may pass. Whole milliseconds. */
export function decideRetry(
  attempt: number,
  random: Random,
  settings: RetrySettings = defaultRetrySettings,
): RetryDecision {
  if (attempt >= settings.attempts) return { kind: 'give_up' };
  const delayMs = settings.baseDelayMs * 2 ** (attempt - 1);
  return { kind: 'retry', delayMs: Math.round(delayMs * (1 + settings.jitter * random.next())) };
}

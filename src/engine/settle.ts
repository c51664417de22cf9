// From an outcome to what the ledger will say about the request. Pure; the table is design §6.

import { statusVerdict } from '../fetch/classify.ts';
import type { OutcomeWithoutPage } from '../fetch/outcome.ts';
import type { RetryDecision } from '../fetch/politeness/retry-policy.ts';
import type { Settlement } from '../ledger/page-result.ts';
import type { Verdict } from '../ledger/verdict.ts';
import type { Instant } from '../platform/clock.ts';

/** What to write for `outcome`; `retry` is what the retry policy says about the attempt that just ended. */
export function settle(outcome: OutcomeWithoutPage, retry: RetryDecision, attempts: number, now: Instant): Settlement {
  switch (outcome.kind) {
    case 'unchanged':
      return settled('done', 304, 'unchanged');
    case 'skipped':
      return settled('skipped', undefined, outcome.reason);
    case 'rate_limited':
    case 'site_wide':
      return outcome.notBefore === undefined
        ? { kind: 'returned' }
        : { kind: 'parked', dueAt: outcome.notBefore, reason: outcome.reason };
    case 'unreached':
      return settled('unknown', undefined, outcome.reason);
    case 'url_specific': {
      const { verdict } = outcome;
      if (!outcome.retriable) return settled(verdict ?? statusVerdict(outcome.status), outcome.status, outcome.reason);
      if (retry.kind === 'retry') return { kind: 'delayed', dueAt: now + retry.delayMs, reason: outcome.reason };
      return settled(
        verdict ?? 'unknown',
        outcome.status,
        attempts === 1 ? outcome.reason : `${outcome.reason}, after ${attempts} attempts`,
      );
    }
  }
}

function settled(verdict: Verdict, status: number | undefined, reason: string): Settlement {
  return { kind: 'settled', verdict, status, reason };
}

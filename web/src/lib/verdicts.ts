// The verdicts in the order in which they are drawn, and what they mean to a reader.

import type { VerdictCounts } from '../../../src/server/contract/common.ts';

export type VerdictName = keyof VerdictCounts;

export const VERDICT_ORDER: readonly VerdictName[] = [
  'done',
  'absent',
  'skipped',
  'failed',
  'blocked',
  'unknown',
  'pending',
];

/** What went wrong, or may have. */
const BAD_VERDICTS: readonly VerdictName[] = ['failed', 'blocked', 'unknown'];

export const VERDICT_MEANING: Readonly<Record<VerdictName, string>> = {
  done: 'fetched and read',
  absent: 'not there, the site says',
  skipped: 'passed over, with a reason',
  failed: 'given up: it could not be fetched or read',
  blocked: 'refused by the site',
  unknown: 'no usable answer',
  pending: 'waiting in the queue',
};

export function totalOf(counts: VerdictCounts): number {
  return VERDICT_ORDER.reduce((sum, verdict) => sum + counts[verdict], 0);
}

export function settledOf(counts: VerdictCounts): number {
  return totalOf(counts) - counts.pending;
}

export function badOf(counts: VerdictCounts): number {
  return BAD_VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0);
}

/** `done 120, failed 3 of 140`. */
export function countsInWords(counts: VerdictCounts): string {
  const total = totalOf(counts);
  if (total === 0) return 'nothing asked yet';
  const parts = VERDICT_ORDER.filter((verdict) => counts[verdict] > 0).map(
    (verdict) => `${counts[verdict].toLocaleString('en-GB')} ${verdict}`,
  );
  return `${parts.join(', ')} of ${total.toLocaleString('en-GB')}`;
}

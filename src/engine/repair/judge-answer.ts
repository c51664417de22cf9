// What a new answer means for the damaged exchanges of a request. Pure.

import { hash } from 'node:crypto';
import type { FetchedExchange, Outcome } from '../../fetch/outcome.ts';
import type { StoredExchange } from '../../ledger/exchange-table.ts';
import type { Repair } from './repair.ts';

/** `isKept`: whether the new answer takes the place of the damaged one. */
export type AnswerVerdict = Pick<Repair, 'kind' | 'why'> & { readonly isKept: boolean };

/**
 * `before` is the answer that the request ended with, redirects first; `damaged` are those of it that are damaged, and lost ones
 * whose place a different answer has taken.
 */
export function judgeAnswer(
  outcome: Outcome,
  before: readonly StoredExchange[],
  damaged: readonly StoredExchange[],
): AnswerVerdict {
  const { exchanges } = outcome;
  if (exchanges.length > 0 && damaged.every((old) => exchanges.some((fresh) => isSame(old, fresh)))) {
    return { kind: 'repaired', why: 'the site sent the same bytes again', isKept: true };
  }
  const status = exchanges.at(-1)?.status;
  if (outcome.kind === 'ok' || (status !== undefined && status === before.at(-1)?.status)) {
    // What is there already is not kept once more.
    const isKept = damaged.some((old) => before.includes(old)) || !isAnswer(before, exchanges);
    const why = isKept
      ? 'the page has changed since: the new answer is kept, and the old one is lost unless the site sends it again'
      : 'the site still sends the answer that was kept instead of it';
    return { kind: 'changed', why, isKept };
  }
  switch (outcome.kind) {
    case 'skipped':
      return { kind: 'forbidden', why: outcome.reason, isKept: false };
    case 'url_specific':
      return status === 404 || status === 410
        ? { kind: 'gone', why: `the site no longer has it (${outcome.reason})`, isKept: false }
        : { kind: 'failed', why: outcome.reason, isKept: false };
    case 'unchanged':
      return { kind: 'failed', why: 'the site sent no bytes, since nothing has changed', isKept: false };
    case 'rate_limited':
    case 'site_wide':
    case 'unreached':
      return { kind: 'failed', why: outcome.reason, isKept: false };
  }
}

function isAnswer(before: readonly StoredExchange[], fresh: readonly FetchedExchange[]): boolean {
  return (
    before.length === fresh.length &&
    before.every((old, index) => {
      const one = fresh[index];
      return one !== undefined && isSame(old, one);
    })
  );
}

/** Whether an exchange has the status and the body of an older one. */
export function isSame(old: StoredExchange, { status, body }: FetchedExchange): boolean {
  const sha256 = body.kind === 'file' ? body.sha256 : hash('sha256', body.encoded);
  return status === old.status && sha256 === Buffer.from(old.bodySha256).toString('hex');
}

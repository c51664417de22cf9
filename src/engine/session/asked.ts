// What the asking of one request came to, in the terms of its session.

import type { FetchedExchange, Outcome, OutcomeWithoutPage } from '../../fetch/outcome.ts';

/** What one asking came to: as it is, and as it may be written down. */
export interface Asked {
  readonly outcome: Outcome;
  readonly written: Outcome;
  /** The values that were filled in. */
  readonly secrets: readonly string[];
}

/** An outcome with its exchanges as they may be written down, and handed to a step. */
export function writtenAs(outcome: Outcome, write: (exchange: FetchedExchange) => FetchedExchange): Outcome {
  const exchanges = outcome.exchanges.map(write);
  return outcome.kind === 'ok'
    ? { ...outcome, exchanges, response: write(outcome.response) }
    : { ...outcome, exchanges };
}

/** Why a request is blocked. */
export function expiredReason(name: string, status: number | undefined): string {
  return `session ${name} has expired, also after it was opened anew (status ${status})`;
}

type UrlSpecific = Extract<OutcomeWithoutPage, { kind: 'url_specific' }>;

/** What is the request's own failing, or its author's. */
export function failed(reason: string): UrlSpecific {
  return { kind: 'url_specific', status: undefined, reason, retriable: false, verdict: 'failed' };
}

/** For whoever has no scraper at hand: a repair. */
export function needsScraper(): Outcome {
  const reason = 'it is made in a session or with a signed address, for which its scraper is needed';
  return { ...failed(reason), exchanges: [] };
}

// Answers for a list of addresses, each of which is to end with one outcome in a bounded time. In a scraper's run a request
// that goes unanswered goes back to the queue; here it is tried as often as any other. (After five failures in a row the host's
// breaker makes everything wait for it all the same: for as long as the patience lasts, if it has not answered once.)

import type { Unsaved } from '../fetch/fetch-memory.ts';
import type { HostWait } from '../fetch/host-wait.ts';
import type { Outcome } from '../fetch/outcome.ts';
import type { Patience } from '../fetch/patience.ts';
import { defaultRetrySettings } from '../fetch/politeness/retry-policy.ts';
import type { ClaimedRequest, RequestId } from '../ledger/page-result.ts';
import type { AnswerSource } from './answer-source.ts';
import { answerIn, wasAsked } from './url-outcome.ts';

/** Each time the whole host waits as long as the answer asks for. */
const MOST_RATE_LIMITS = 10;

export interface UrlSourceOptions {
  readonly live: AnswerSource;
  /** What to ask for instead of a request: the same with conditions. */
  readonly prepare: (request: ClaimedRequest) => Promise<ClaimedRequest>;
  /** Called with the outcome that will stand, and how often it was asked for, before it is committed. */
  readonly onFinal: (request: ClaimedRequest, outcome: Outcome, asked: number) => void;
}

export class UrlSource implements AnswerSource {
  readonly #options: UrlSourceOptions;
  /** Of those that have not ended. */
  readonly #asked = new Map<RequestId, number>();
  readonly #rateLimits = new Map<RequestId, number>();

  constructor(options: UrlSourceOptions) {
    this.#options = options;
  }

  async answer(request: ClaimedRequest, patience: Patience): Promise<Outcome> {
    const { live, prepare, onFinal } = this.#options;
    const outcome = await live.answer(await prepare(request), patience);
    const { id } = request;
    const asked = (this.#asked.get(id) ?? 0) + (wasAsked(outcome) ? 1 : 0);
    this.#asked.set(id, asked);
    const settled = this.#bounded(id, outcome);
    // What is put back untouched is no failed attempt, though it was asked for.
    if (isFinal(settled, request.attempts + 1)) {
      this.#asked.delete(id);
      this.#rateLimits.delete(id);
      onFinal(request, outcome, asked);
    }
    return settled;
  }

  takeUnsaved(): Unsaved | undefined {
    return this.#options.live.takeUnsaved();
  }

  waits(): readonly HostWait[] {
    return this.#options.live.waits();
  }

  watch(onUnsaved: () => void): void {
    this.#options.live.watch(onUnsaved);
  }

  close(): Promise<void> {
    return this.#options.live.close();
  }

  /** The same outcome, but one that would go back to the queue for ever. */
  #bounded(id: RequestId, outcome: Outcome): Outcome {
    const { exchanges } = outcome;
    if (outcome.kind === 'site_wide') {
      const status = answerIn(outcome)?.status;
      return { kind: 'url_specific', exchanges, status, reason: outcome.reason, retriable: true };
    }
    if (outcome.kind !== 'rate_limited') return outcome;
    const times = (this.#rateLimits.get(id) ?? 0) + 1;
    this.#rateLimits.set(id, times);
    if (times < MOST_RATE_LIMITS) return outcome;
    const reason = `${outcome.reason}, ${times} times`;
    return { kind: 'url_specific', exchanges, status: 429, reason, retriable: false };
  }
}

function isFinal(outcome: Outcome, attempts: number): boolean {
  switch (outcome.kind) {
    case 'ok':
    case 'unchanged':
    case 'skipped':
    case 'unreached':
      return true;
    case 'url_specific':
      return !outcome.retriable || attempts >= defaultRetrySettings.attempts;
    case 'rate_limited':
    case 'site_wide':
      return false;
  }
}

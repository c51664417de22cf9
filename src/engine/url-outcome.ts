// What became of one address, as `curlew fetch` tells it. Fields that do not apply are null, so that every line has all.

import { hash } from 'node:crypto';
import { reachesSite } from '../fetch/host-sign.ts';
import { headerValue } from '../fetch/http/header-list.ts';
import type { FetchedBody, FetchedExchange, Outcome, OutcomeKind } from '../fetch/outcome.ts';

export interface UrlOutcome {
  /** As it was given. */
  readonly url: string;
  readonly kind: Exclude<OutcomeKind, 'unreached'>;
  readonly status: number | null;
  /** Why it is neither ok nor unchanged. */
  readonly reason: string | null;
  /** The address that gave the answer, after redirects. */
  readonly finalUrl: string | null;
  readonly contentType: string | null;
  /** Of the content, its coding taken off. */
  readonly size: number | null;
  readonly sha256: string | null;
  /** From the first byte sent to the last received. */
  readonly ms: number | null;
  /**
   * Times it was asked for, answered or not: one that was told to wait counts like any other, redirects are part of it. 0
   * when it never left: no address, left out for its robots.txt, refused by the address guard, or not let through by a proxy.
   */
  readonly attempts: number;
  /** `scheme://host:port`, never a password. */
  readonly proxy: string | null;
}

/** The outcome of an address that is none. */
export function malformed(url: string, reason: string): UrlOutcome {
  return { ...NOTHING, url, reason };
}

export function describeOutcome(url: string, outcome: Outcome, attempts: number): UrlOutcome {
  const answer = answerIn(outcome);
  const status = ('status' in outcome ? outcome.status : answer?.status) ?? null;
  const reason = 'reason' in outcome ? outcome.reason : null;
  const proxy = outcome.proxy ?? null;
  const common: UrlOutcome = { ...NOTHING, url, kind: kindOf(outcome), status, reason, attempts, proxy };
  if (answer === undefined) return common;
  return {
    ...common,
    // The body of a 304 is empty, and not that of the page.
    ...(outcome.kind !== 'unchanged' && digestOf(answer.body)),
    finalUrl: answer.url,
    contentType: headerValue(answer.responseHeaders, 'content-type') ?? null,
    ms: Math.round(answer.durationMs),
  };
}

/** The answer that the outcome is about. Undefined when none came, whatever redirects had been answered before. */
export function answerIn(outcome: Outcome): FetchedExchange | undefined {
  const last = outcome.exchanges.at(-1);
  switch (outcome.kind) {
    case 'ok':
      return outcome.response;
    case 'unchanged':
      return last;
    case 'skipped':
    case 'unreached':
      return undefined;
    case 'url_specific':
      return last?.status === outcome.status ? last : undefined;
    case 'rate_limited':
    case 'site_wide':
      return last !== undefined && last.status >= 400 ? last : undefined;
  }
}

/** Whether the site was asked for the page, or at least may have noticed that it was tried. */
export function wasAsked(outcome: Outcome): boolean {
  if (outcome.exchanges.length > 0) return true;
  switch (outcome.kind) {
    case 'ok':
    case 'unchanged':
    case 'rate_limited':
      return true;
    case 'skipped':
      return false;
    case 'site_wide':
      return outcome.because !== 'robots' && reachesSite(outcome.failure);
    case 'unreached':
    case 'url_specific':
      // Without a failure there is nothing that it could have met: it cannot be sent.
      return outcome.failure !== undefined && reachesSite(outcome.failure);
  }
}

/** Names every field, in the order of the line. */
const NOTHING: UrlOutcome = {
  url: '',
  kind: 'url_specific',
  status: null,
  reason: null,
  finalUrl: null,
  contentType: null,
  size: null,
  sha256: null,
  ms: null,
  attempts: 0,
  proxy: null,
};

/**
 * Where robots.txt is unreachable and is insisted on, the page was left out on purpose. A host that was given up is one that
 * did not answer.
 */
function kindOf(outcome: Outcome): UrlOutcome['kind'] {
  if (outcome.kind === 'unreached') return 'site_wide';
  return outcome.kind === 'site_wide' && outcome.because === 'robots' ? 'skipped' : outcome.kind;
}

function digestOf(body: FetchedBody): { size: number; sha256: string } {
  if (body.kind === 'file') return { size: body.size, sha256: body.sha256 };
  return { size: body.decoded.length, sha256: hash('sha256', body.decoded) };
}

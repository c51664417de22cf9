// One request of a chain of redirects, and the one that follows from its answer. Pure.

import type { FetchRequest } from './fetch-request.ts';
import { headerValue, withoutHeaders } from './http/header-list.ts';
import { decideRedirect } from './http/redirect.ts';
import type { HeaderList, OutcomeWithoutPage } from './outcome.ts';

export interface Leg {
  readonly url: URL;
  readonly method: string;
  /** The caller's own fields. The session's cookies are not among them. */
  readonly headers: HeaderList;
  readonly body: Uint8Array | undefined;
}

export function firstLeg({ url, method, headers, body }: FetchRequest): Leg {
  const given = Object.entries(headers);
  const typed = body !== undefined && headerValue(given, 'content-type') === undefined;
  return {
    url: new URL(url),
    method,
    headers: typed ? [...given, ['Content-Type', body.type]] : given,
    body: body?.bytes,
  };
}

/** Where an answer leads: on, or to an end without a page. */
export type NextLeg = { readonly kind: 'follow'; readonly leg: Leg } | OutcomeWithoutPage;

/** What follows from the answer to `leg` after so many redirects of at most `most`; undefined when it is none. */
export function legAfter(
  leg: Leg,
  status: number,
  responseHeaders: HeaderList,
  followed: number,
  most?: number,
): NextLeg | undefined {
  const { url, method, headers: requestHeaders } = leg;
  const decision = decideRedirect({ status, responseHeaders, url, method, requestHeaders, followed, most });
  switch (decision.kind) {
    case 'none':
      return undefined;
    case 'refused':
      return { kind: 'url_specific', status, reason: decision.reason, retriable: false };
    case 'follow': {
      const headers = withoutHeaders(decision.headers, VALIDATORS);
      const body = decision.keepsBody ? leg.body : undefined;
      return { kind: 'follow', leg: { url: decision.url, method: decision.method, headers, body } };
    }
  }
}

// RFC 9110 §13.1: validators speak of the URL they were got from; another one could answer 304 about a page never seen.
export const VALIDATORS: ReadonlySet<string> = new Set(['if-none-match', 'if-modified-since']);

/** Whether the request asks for news only: then 304 is an answer. */
export function isConditional({ headers }: Pick<Leg, 'headers'>): boolean {
  return headers.some(([name]) => VALIDATORS.has(name.toLowerCase()));
}

/** What gets no answer from a host that is not waited for any longer does not go back to the queue. */
export function givenUp<T extends { readonly kind: string }>(
  end: T | OutcomeWithoutPage,
  host: { readonly givenUp: string | undefined },
): T | OutcomeWithoutPage {
  if (!isSiteWide(end) || host.givenUp === undefined) return end;
  const { failure } = end;
  return { kind: 'unreached', reason: host.givenUp, ...(failure !== undefined && { failure }) };
}

type SiteWide = Extract<OutcomeWithoutPage, { kind: 'site_wide' }>;

function isSiteWide(end: { readonly kind: string }): end is SiteWide {
  return end.kind === 'site_wide';
}

// What an answer or a failure means: the table of design §6, and nothing else decides it.
// No answer at all is the site's trouble (site_wide); an answer that cannot be used is the URL's, and worth another try.

import type { Instant } from '../platform/clock.ts';
import { assertNever } from '../platform/errors.ts';
import { headerValue } from './http/header-list.ts';
import type { HopAnswer, HopFailure } from './http/hop-result.ts';
import type { HeaderList, OutcomeWithoutPage } from './outcome.ts';
import { LONGEST_RETRY_AFTER_MS, parseRetryAfter } from './politeness/retry-after.ts';

// An `import` of node:http asks for all it has, and so loads the WebSocket and fetch of Node: 30 ms of every start.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export interface ClassifyContext {
  readonly now: Instant;
  /** Whether the request asked for news only (`If-None-Match`, `If-Modified-Since`): then 304 is an answer. */
  readonly conditional: boolean;
  /** When a `Retry-After` value says to come back, already clamped; undefined when it is junk. */
  retryAfter(value: string): Instant | undefined;
}

/** All of an answer that its meaning depends on. */
export type AnswerHead = Pick<HopAnswer, 'kind' | 'status' | 'headers'>;

export type Classified = { readonly kind: 'ok' } | OutcomeWithoutPage;

/** How long a host rests after a 429 that does not say. */
export const UNTOLD_RATE_LIMIT_MS = 30_000;

/** The shortest rest after a 429, whatever it says: `Retry-After: 0` must not make us ask again without end. */
export const SHORTEST_RATE_LIMIT_MS = 1_000;

/** The context of an answer that came at `now`. */
export function contextAt(now: Instant, conditional: boolean): ClassifyContext {
  return {
    now,
    conditional,
    retryAfter(value) {
      const waitMs = parseRetryAfter(value, now, { maxMs: LONGEST_RETRY_AFTER_MS });
      return waitMs === undefined ? undefined : now + waitMs;
    },
  };
}

/** The meaning of one hop's result. Redirects that can be followed are not asked about: `redirect.ts` takes them first. */
export function classify(result: HopFailure, context: ClassifyContext): OutcomeWithoutPage;
export function classify(result: AnswerHead | HopFailure, context: ClassifyContext): Classified;
export function classify(result: AnswerHead | HopFailure, context: ClassifyContext): Classified {
  return result.kind === 'answer'
    ? classifyStatus(result.status, result.headers, context)
    : classifyFailure(result, context);
}

/** What a status says about the item behind the URL: it is not there, or it is kept from us. */
export function statusVerdict(status: number | undefined): 'absent' | 'blocked' | 'failed' {
  if (status === 404 || status === 410) return 'absent';
  if (status === 401 || status === 403) return 'blocked';
  return 'failed';
}

function classifyStatus(status: number, headers: HeaderList, context: ClassifyContext): Classified {
  const reason = STATUS_CODES[status] === undefined ? `status ${status}` : `${status} ${STATUS_CODES[status]}`;
  if (status >= 200 && status <= 299) return { kind: 'ok' };
  switch (status) {
    case 304:
      if (context.conditional) return { kind: 'unchanged', etag: headerValue(headers, 'etag') };
      return urlSpecific(status, '304 Not Modified, although nothing had been fetched before', true);
    case 429: {
      const told = retryAfterOf(headers, context) ?? context.now + UNTOLD_RATE_LIMIT_MS;
      return { kind: 'rate_limited', until: Math.max(told, context.now + SHORTEST_RATE_LIMIT_MS), reason };
    }
    case 502:
    case 503:
    case 504: {
      const retryAfter = retryAfterOf(headers, context);
      return retryAfter === undefined ? { kind: 'site_wide', reason } : { kind: 'site_wide', reason, retryAfter };
    }
    case 408:
    case 425:
      return urlSpecific(status, reason, true);
    default:
      // RFC 9110 §15: a status outside the classes is treated as a 5xx.
      return urlSpecific(status, reason, status >= 500);
  }
}

function classifyFailure({ code, reason, head }: HopFailure, context: ClassifyContext): OutcomeWithoutPage {
  if (head !== undefined) {
    const meaning = classifyStatus(head.status, head.headers, context);
    // These say all there is to say; the body behind them does not matter.
    if (meaning.kind === 'rate_limited' || meaning.kind === 'site_wide') return meaning;
  }
  switch (code) {
    case 'address_refused':
      return { ...urlSpecific(undefined, reason, false), failure: code };
    case 'dns':
    case 'connect_refused':
    case 'connect_timeout':
    case 'unreachable':
    case 'tls':
    case 'proxy_unreachable':
    case 'proxy_auth':
    case 'proxy_refused':
    case 'reset_before_answer':
    case 'headers_timeout':
      return { kind: 'site_wide', reason, failure: code };
    case 'total_timeout':
      if (head === undefined) return { kind: 'site_wide', reason, failure: code };
      return { ...urlSpecific(head.status, reason, true), failure: code };
    case 'headers_too_large':
    case 'protocol':
    case 'idle_timeout':
    case 'body_cut_short':
    case 'length_mismatch':
    case 'encoded_too_large':
    case 'decoded_too_large':
    case 'bad_encoding':
    case 'too_many_encodings':
    case 'unasked_partial':
      return { ...urlSpecific(head?.status, reason, true), failure: code };
    default:
      return assertNever(code);
  }
}

function retryAfterOf(headers: HeaderList, context: ClassifyContext): Instant | undefined {
  const value = headerValue(headers, 'retry-after');
  return value === undefined ? undefined : context.retryAfter(value);
}

function urlSpecific(status: number | undefined, reason: string, retriable: boolean) {
  return { kind: 'url_specific', status, reason, retriable } as const;
}

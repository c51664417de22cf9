// Where a redirect leads, decided without doing anything (RFC 9110 §15.4, and the Fetch standard where browsers agree on
// more). The caller makes each hop pass guard, robots and rate. To another origin go only fields that are known to hold no
// secret: by their names credentials cannot be told, sites call them as they like.

import type { HeaderList } from '../outcome.ts';
import { headerText, headerValue, withoutHeaders } from './header-list.ts';

/** Redirects followed for one request. */
export const MOST_REDIRECTS = 5;

export interface RedirectQuestion {
  readonly status: number;
  readonly responseHeaders: HeaderList;
  readonly url: URL;
  readonly method: string;
  readonly requestHeaders: HeaderList;
  /** How many redirects this request has already followed. */
  readonly followed: number;
  /** How many it may follow. Default 5. */
  readonly most?: number | undefined;
}

export type RedirectDecision =
  /** Not a redirect: the answer stands for itself. */
  | { readonly kind: 'none' }
  | {
      readonly kind: 'follow';
      readonly url: URL;
      readonly method: string;
      /** Whether the request's body goes along. */
      readonly keepsBody: boolean;
      /** The request's own headers, less what must not go along. */
      readonly headers: HeaderList;
    }
  /** A redirect that cannot be followed: permanent, and this URL's own. */
  | { readonly kind: 'refused'; readonly reason: string };

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const CONTENT: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-language',
  'content-length',
  'content-location',
  'content-type',
]);
/** What may go to another origin, besides what describes the body, if that goes along. A referrer does as its origin. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...CONTENT,
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'dnt',
  'if-range',
  'pragma',
  'priority',
  'range',
  'save-data',
  'sec-gpc',
  'upgrade-insecure-requests',
  'user-agent',
  'x-requested-with',
]);

/** Whether a status sends the request on; 304 and others of its class do not. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/** Whether to follow this answer, and how. */
export function decideRedirect(question: RedirectQuestion): RedirectDecision {
  const { status, url, method, followed, most = MOST_REDIRECTS } = question;
  if (!isRedirect(status)) return { kind: 'none' };
  const location = headerValue(question.responseHeaders, 'location');
  if (location === undefined || location.trim() === '') return refused(`redirect (${status}) without a Location`);
  const next = URL.parse(headerText(location), url.href);
  if (next === null) return refused(`redirect (${status}) to something that is not a URL`);
  if (next.protocol !== 'http:' && next.protocol !== 'https:') {
    return refused(`redirect (${status}) to a ${next.protocol} URL, only http and https are followed`);
  }
  if (followed >= most) return refused(`more than ${most} redirects`);
  next.hash = '';
  next.username = '';
  next.password = '';
  const toGet = becomesGet(status, method);
  let headers = question.requestHeaders;
  if (next.origin !== url.origin) headers = headersAcross(headers);
  if (toGet) headers = withoutHeaders(headers, CONTENT);
  return { kind: 'follow', url: next, method: toGet ? 'GET' : method, keepsBody: !toGet, headers };
}

/**
 * What makes a hop the same as an earlier one. A redirect back to the same URL is no loop when a cookie was set on the
 * way: many sites begin a session like this.
 */
export function hopKey(method: string, url: URL, cookieHeader: string | undefined): string {
  return JSON.stringify([method, url.href, cookieHeader ?? '']);
}

// RFC 9110 §15.4.2–4: browsers turn POST into GET on 301 and 302; on 303 everything but HEAD becomes GET.
function becomesGet(status: number, method: string): boolean {
  if (status === 303) return method !== 'HEAD' && method !== 'GET';
  return (status === 301 || status === 302) && method === 'POST';
}

function headersAcross(headers: HeaderList): HeaderList {
  return headers.flatMap(([name, value]): HeaderList => {
    const lower = name.toLowerCase();
    if (lower === 'referer') return referrerAcross(name, value);
    return HARMLESS.has(lower) ? [[name, value]] : [];
  });
}

// As browsers do (Referrer Policy §3, `strict-origin-when-cross-origin`): where from, but not from which page.
function referrerAcross(name: string, value: string): HeaderList {
  const origin = URL.parse(value)?.origin ?? 'null';
  return origin === 'null' ? [] : [[name, `${origin}/`]];
}

function refused(reason: string): RedirectDecision {
  return { kind: 'refused', reason };
}

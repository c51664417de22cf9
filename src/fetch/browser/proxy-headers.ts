// Which header fields go on to the site, and which come back to Chromium. The site is told who asks; the caller's own
// fields go to the origin they were meant for; and nothing comes back that would make a later load depend on an earlier.

import type { IncomingHttpHeaders } from 'node:http';
import { headersFromRaw, headerValue, withoutHeaders } from '../http/header-list.ts';
import { VALIDATORS } from '../leg.ts';
import type { HeaderList } from '../outcome.ts';
import { type OwnCookies, withOwnCookies } from '../session/own-cookies.ts';
import type { RequestKind } from './admit.ts';

// RFC 9110 §7.6.1: fields that concern one connection only.
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const CODING_FIELDS: ReadonlySet<string> = new Set(['content-encoding', 'content-length']);

// They ask Chromium to use https, QUIC or another server from now on, to write reports home, or to ask for a password.
const NOT_FOR_CHROMIUM: ReadonlySet<string> = new Set([
  'alt-svc',
  'nel',
  'report-to',
  'reporting-endpoints',
  'strict-transport-security',
  'www-authenticate',
]);

const CACHING: ReadonlySet<string> = new Set(['cache-control', 'etag', 'expires', 'last-modified', 'pragma']);
const DISPOSITION: ReadonlySet<string> = new Set(['content-disposition']);

/** Chromium sends this field with every navigation and with nothing else. */
export function requestKind(headers: IncomingHttpHeaders): RequestKind {
  return headers['upgrade-insecure-requests'] === '1' ? 'document' : 'part';
}

/**
 * Whether no page asked for it, but Chromium for its own sake: what a form is for, say. Fetch Metadata §2.3: only a navigation
 * comes from no site. A page cannot set the field, and what Chromium asks for itself it asks over https, where it is never missing.
 */
export function isOfChromium(headers: IncomingHttpHeaders): boolean {
  return headers['sec-fetch-site'] === 'none' && headers['sec-fetch-mode'] !== 'navigate';
}

/**
 * What the site gets: Chromium's fields, the caller's instead of its own. `User-Agent` goes to everyone, `Authorization`
 * and the cookies of the request to all requests to the origin of the load, the rest to documents of that origin, and
 * conditions to its own URL only.
 */
export function sentOnHeaders(
  rawHeaders: readonly string[],
  { url, kind }: { readonly url: URL; readonly kind: RequestKind },
  load: { readonly url: URL; readonly headers: HeaderList; readonly ownCookies?: OwnCookies | undefined },
): HeaderList {
  const isHome = url.origin === load.url.origin;
  const chromiums = withCookies(headersFromRaw(rawHeaders), isHome ? load.ownCookies : undefined);
  const own = withoutHeaders(load.headers, NEVER_SET).filter(([name]) => {
    const lower = name.toLowerCase();
    if (lower === 'user-agent') return true;
    if (VALIDATORS.has(lower) && url.href !== withoutHash(load.url)) return false;
    return isHome && (kind === 'document' || lower === 'authorization');
  });
  const replaced = new Set([...HOP_BY_HOP, ...own.map(([name]) => name.toLowerCase())]);
  const upgrade = headerValue(chromiums, 'upgrade');
  const connection: HeaderList =
    upgrade === undefined
      ? [['Connection', 'keep-alive']]
      : [
          ['Connection', 'Upgrade'],
          ['Upgrade', upgrade],
        ];
  // node:http would send the body of a GET or DELETE as it is, and the site would take it for the next request.
  const framing: HeaderList =
    headerValue(chromiums, 'transfer-encoding') === undefined ? [] : [['Transfer-Encoding', 'chunked']];
  return [...withoutHeaders(chromiums, replaced), ...own, ...connection, ...framing];
}

// RFC 6265 §5.4: one Cookie field at most.
function withCookies(headers: HeaderList, own: OwnCookies = {}): HeaderList {
  if (Object.keys(own).length === 0) return headers;
  const value = withOwnCookies(headerValue(headers, 'cookie'), own);
  return [...withoutHeaders(headers, COOKIE), ['Cookie', value]];
}

function withoutHash({ href, hash }: URL): string {
  return href.slice(0, href.length - hash.length);
}

const COOKIE: ReadonlySet<string> = new Set(['cookie']);

// The caller's cookies are given apart; the others are the transport's.
const NEVER_SET: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'content-length', 'cookie', 'host']);

/**
 * What Chromium gets. Documents are never cached, so that every load is an exchange with the site; a PDF is handed out as
 * a download instead of being shown in Chromium's viewer.
 */
export function passedOnHeaders(headers: HeaderList, kind: RequestKind, decoded: boolean): HeaderList {
  const dropped = new Set([...HOP_BY_HOP, ...NOT_FOR_CHROMIUM, ...(decoded ? CODING_FIELDS : [])]);
  const passed = withoutHeaders(headers, dropped);
  if (kind === 'part') return passed;
  const document: HeaderList = [...withoutHeaders(passed, CACHING), ['Cache-Control', 'no-store']];
  if (!/^application\/pdf\b/i.test(headerValue(headers, 'content-type')?.trim() ?? '')) return document;
  return [...withoutHeaders(document, DISPOSITION), ['Content-Disposition', 'attachment']];
}

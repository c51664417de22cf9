// One page load in, one result out: shaped like a hop of plain HTTP, so that both are classified and archived alike.

import type { Instant } from '../../platform/clock.ts';
import type { HopFailureCode } from '../http/failure-code.ts';
import type { BodySink, HopAborted, HopAnswer } from '../http/hop-result.ts';
import type { HeaderList } from '../outcome.ts';
import type { OwnCookies } from '../session/own-cookies.ts';
import type { Admit } from './admit.ts';
import type { BrowserCookie } from './browser-cookie.ts';
import type { TrafficReport } from './page-traffic.ts';

export interface BrowserRequest {
  /** http or https. Always loaded with GET. User and password in it are not sent. */
  readonly url: URL;
  /**
   * `User-Agent` goes with every request of the page, `Authorization` with those to the origin of the URL, the rest with
   * documents of that origin. `Cookie` is ignored: cookies are given apart. Scripts see Chromium's own user agent.
   */
  readonly headers: HeaderList;
  /** All cookies of the session. Chromium knows no others. */
  readonly cookies: readonly BrowserCookie[];
  /**
   * Cookies of this request: they go with every request to the origin of the URL, in place of the session's of that name,
   * and to no other. Chromium, whose cookies know no ports, never holds them: scripts do not see them. Default none.
   */
  readonly ownCookies?: OwnCookies;
  /** Loads of different sessions share nothing; loads of one session share Chromium's cache and storage while it is in use. */
  readonly session: string;
  /** Wait after the `load` event until an element matches this CSS selector. Not done when the status is not 2xx. A page without it is an answer all the same, and says so (`unmatched`). */
  readonly waitFor?: string;
  /** Takes the body of a 2xx answer, be it a download or a page. Without it a download is a failure. */
  readonly sink?: BodySink;
  /** Redirects followed in a row, which a script that sends the page on begins anew. Default 5. */
  readonly maxRedirects?: number;
  /** Asked before any request of the page leaves, the first document included. */
  readonly admit: Admit;
}

export const BROWSER_FAILURE_CODES = [
  /** A page was asked for, and Chromium wants to save a file. */
  'unwanted_download',
  'download_failed',
  /** A redirect that is not followed: too many, in a circle, to another scheme, to nowhere. */
  'bad_redirect',
  /** Chromium gave up on the page for another reason. */
  'navigation_failed',
  /** Chromium, or the page's process, died. Says nothing about the site. */
  'browser_crashed',
] as const;

export type BrowserFailureCode = (typeof BROWSER_FAILURE_CODES)[number];

/** A failure of a load on its way to the result. Never shown to a person as it is. */
export class BrowserError extends Error {
  override readonly name: string = 'BrowserError';
  readonly code: BrowserFailureCode;

  constructor(code: BrowserFailureCode, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** A document on the way to the last one: a redirect, or a page that sent the browser on. Its body is not kept. */
export interface BrowserHop {
  readonly url: string;
  readonly at: Instant;
  readonly status: number;
  readonly statusText: string;
  /** Fit for an empty body; the fields that described the original one are kept as `x-archive-orig-…`. */
  readonly headers: HeaderList;
  readonly requestHeaders: HeaderList;
  readonly remoteAddress: string | undefined;
  readonly durationMs: number;
}

/** What every load can tell, whatever came of it. */
export interface LoadReport {
  /** In order, the last document not among them. */
  readonly hops: readonly BrowserHop[];
  readonly traffic: TrafficReport;
  /** What the load changed in the session's cookies; those that went have an expiry in the past. */
  readonly cookieChanges: readonly BrowserCookie[];
}

/**
 * The last document. Of an HTML page the body is its DOM after the waits, in UTF-8, and the headers fit that; of
 * anything else it is what the site sent, codings taken off. `encoded` and `decoded` are always the same object.
 */
export interface BrowserAnswer extends HopAnswer, LoadReport {
  /** After redirects and whatever the page's scripts did to it. */
  readonly url: string;
  readonly at: Instant;
  /** No element matched `waitFor` in time, as a clause for people: the page is there, and not as it was wanted. */
  readonly unmatched?: string;
}

export interface BrowserFailure extends LoadReport {
  readonly kind: 'failure';
  readonly code: HopFailureCode | BrowserFailureCode;
  /** What happened, as a clause for people. */
  readonly reason: string;
  /** The document asked for last, and when; undefined when it did not come to that. */
  readonly document: { readonly url: string; readonly at: Instant } | undefined;
  readonly head: { readonly status: number; readonly headers: HeaderList } | undefined;
}

/** `admit` did not let the document through. */
export interface BrowserRefusal extends LoadReport {
  readonly kind: 'refused';
  readonly url: string;
  readonly reason: string;
}

export type BrowserResult = BrowserAnswer | BrowserFailure | BrowserRefusal | HopAborted;

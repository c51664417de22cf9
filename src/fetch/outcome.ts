// What became of one request. A closed union: every part of Curlew decides by `kind` and nothing else.
// The table of meanings is design §6; `classify.ts` is the one place that applies it.

import type { Instant } from '../platform/clock.ts';
import type { HopFailureCode } from './http/failure-code.ts';

export type HeaderList = readonly (readonly [name: string, value: string])[];

export type Withheld = 'secret' | 'refused';

/** Where the bytes of an answer are. A page is held in memory under a cap; a download lies in a file. */
export type FetchedBody =
  | {
      readonly kind: 'memory';
      /** The entity body as received, content coding still on: what the archive keeps. */
      readonly encoded: Uint8Array;
      /** The same with the content coding taken off: what steps read. The very same object when there was none. */
      readonly decoded: Uint8Array;
      /** Why the archive does not get the body (`encoded` is empty then): it holds secrets, or is a file that was refused. */
      readonly withheld?: Withheld;
    }
  | {
      readonly kind: 'file';
      /** Path relative to the file store. */
      readonly path: string;
      /** SHA-256 of the decoded file, as hex. */
      readonly sha256: string;
      readonly size: number;
    };

/** One request and its answer as they went over the wire: what the archive records. */
export interface FetchedExchange {
  readonly url: string;
  readonly at: Instant;
  readonly method: string;
  readonly requestHeaders: HeaderList;
  readonly requestBody: Uint8Array | undefined;
  readonly status: number;
  readonly statusText: string;
  readonly responseHeaders: HeaderList;
  readonly body: FetchedBody;
  readonly remoteAddress: string | undefined;
  /** From the first byte sent to the last received. */
  readonly durationMs: number;
}

/** What every outcome can tell, whatever its kind. */
interface OutcomeBase {
  /** Every exchange made for this request, redirects first, the final answer last. Empty when nothing was answered. */
  readonly exchanges: readonly FetchedExchange[];
  /** The name of the proxy used: `scheme://host:port`, with a mark of its user if it has one. */
  readonly proxy?: string;
}

/** Every meaning that brings no new page. */
export type OutcomeWithoutPage =
  | { readonly kind: 'unchanged'; readonly etag: string | undefined }
  | { readonly kind: 'skipped'; readonly reason: string }
  | {
      readonly kind: 'url_specific';
      readonly status: number | undefined;
      readonly reason: string;
      readonly retriable: boolean;
      /** What it means for the item behind the URL, when the status does not say it. */
      readonly verdict?: 'blocked' | 'failed';
      /** Where a file that was refused is kept, for a person to look at. */
      readonly kept?: string;
      /** Set when no usable answer came. */
      readonly failure?: HopFailureCode;
    }
  | {
      readonly kind: 'rate_limited';
      readonly until: Instant;
      readonly reason: string;
      /** Set when it is not the request's own host, but one that it was sent on to: no use to ask before. */
      readonly notBefore?: Instant;
    }
  | {
      readonly kind: 'site_wide';
      readonly reason: string;
      /** As above. */
      readonly notBefore?: Instant;
      readonly retryAfter?: Instant;
      /** Set when the request did not leave, because robots.txt is unreachable and without it the answer is no. */
      readonly because?: 'robots';
      /** Set when no usable answer came. `proxy_…` codes are the proxy's doing, not the site's. */
      readonly failure?: HopFailureCode;
    }
  | {
      /** Its host has not answered once in this run, and is not waited for any longer. Nothing more is asked of it. */
      readonly kind: 'unreached';
      readonly reason: string;
      /** What the request itself met, if it was sent. */
      readonly failure?: HopFailureCode;
    };

export type Outcome = OutcomeBase & ({ readonly kind: 'ok'; readonly response: FetchedExchange } | OutcomeWithoutPage);

export type OutcomeKind = Outcome['kind'];

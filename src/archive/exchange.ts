// What the archive stores: one HTTP exchange as it went over the wire, and where it lies. Bodies are without transfer
// coding but with their content coding, so that digests are those of the bytes the server sent.

import type { Instant } from '../platform/clock.ts';

/** Name and value as received; the order and the case of names are kept. */
export type Header = readonly [name: string, value: string];

/** Everything of an exchange but the response's body. */
export interface ExchangeHead {
  /** An absolute http or https URL. A fragment is kept in the record's header and left out of the request line. */
  readonly targetUri: string;
  /** When the request began; request and response record carry the same date (ISO 28500 §5.4). */
  readonly at: Instant;
  readonly method: string;
  /** `Host` is added from the URL when it is not among them. */
  readonly requestHeaders: readonly Header[];
  readonly requestBody: Uint8Array | undefined;
  readonly status: number;
  readonly statusText: string;
  readonly responseHeaders: readonly Header[];
  /** The address that was connected to, if it is known. */
  readonly remoteAddress: string | undefined;
}

/** An exchange with its body in memory. */
export interface Exchange extends ExchangeHead {
  readonly body: Uint8Array;
  /** SHA-256 of `body`, lower-case hex. */
  readonly bodySha256: string;
  /** Why the body that came is not here: `body` is empty then. */
  readonly withheld?: 'secret' | 'refused' | undefined;
}

/** A payload that is known without being held: its SHA-256 in lower-case hex and its length in bytes. */
export interface PayloadDigest {
  readonly sha256: string;
  readonly size: number;
}

/** The earlier record whose body a revisit repeats. */
export interface RevisitTarget {
  readonly targetUri: string;
  readonly at: Instant;
}

/** One record: a gzip member of `length` bytes at `offset` of a segment. */
export interface Location {
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
}

/** Both records of an exchange. */
export interface PlacedExchange {
  readonly request: Location;
  readonly response: Location;
}

/** The end of what is known of a segment, in bytes; everything behind it is unknown. */
export interface SegmentEnd {
  readonly segment: number;
  readonly end: number;
}

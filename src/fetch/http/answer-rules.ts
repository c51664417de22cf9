// When an answer that can be read is none all the same: too many fields, a part nobody asked for, a body that is not what
// its head announced. The same for plain HTTP and for Chromium, whose requests go over another transport.

import type { HeaderList } from '../outcome.ts';
import { HopError } from './failure-code.ts';
import { headerValue, headerValues } from './header-list.ts';
import { MOST_HEADERS } from './hop-options.ts';

/** What the transport saw when a body had ended. */
export interface BodyEnd {
  /** Bytes of the body, as received. */
  readonly bytes: number;
  /** Whether there were more behind it. */
  readonly gotMore: boolean;
  /** Whether the other side reset the connection. */
  readonly wasReset: boolean;
}

export function refuseManyHeaders({ length }: HeaderList): void {
  if (length <= MOST_HEADERS) return;
  throw new HopError('headers_too_large', `the answer has ${length} header fields, more than ${MOST_HEADERS}`);
}

export function refuseUnaskedPart(status: number, requestHeaders: HeaderList): void {
  if (status !== 206 || headerValue(requestHeaders, 'range') !== undefined) return;
  throw new HopError('unasked_partial', 'the server sent a part (206) although the whole was asked for');
}

/** Whether an answer with this status to a request with this method has a body (RFC 9112 §6.3). */
export function hasBody(method: string, status: number): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304;
}

/**
 * What is wrong with a body that seems to have ended; undefined: nothing. RFC 9112 §6.3: bytes behind a complete message.
 * Behind a body they mean that the announced length, and so the page, is wrong. Not to be asked where no body is allowed.
 */
export function spoiltBody(headers: HeaderList, { bytes, gotMore, wasReset }: BodyEnd): HopError | undefined {
  if (gotMore) return new HopError('length_mismatch', 'the server sent more than the length it announced');
  const transfer = transferCoding(headers);
  if (transfer === 'unknown') {
    return new HopError('protocol', 'the answer is not valid HTTP: its transfer coding is other than chunked');
  }
  // Parsers take a reset for the end of a body that ends with the connection. Behind any other body it does no harm.
  const hasLength =
    transfer === 'chunked' || (transfer === 'none' && headerValue(headers, 'content-length') !== undefined);
  if (wasReset && !hasLength) {
    return new HopError('body_cut_short', `the connection was reset after ${bytes} bytes of the body`);
  }
  return undefined;
}

/**
 * How a body was made fit for the wire. RFC 9112 §7: only `chunked` is undone by parsers, so anything else, twice chunked
 * included, leaves bytes that are not the page. `identity` is of old servers: it does nothing but overrule a length (§6.3).
 */
function transferCoding(headers: HeaderList): 'none' | 'chunked' | 'identity' | 'unknown' {
  const values = headerValues(headers, 'transfer-encoding');
  if (values.length === 0) return 'none';
  const coding = values.join().trim().toLowerCase();
  if (coding === '' || coding === 'identity') return 'identity';
  return coding === 'chunked' ? 'chunked' : 'unknown';
}

// Takes content codings off (RFC 9110 §8.4), none of which may make more than `maxBytes` of output: a bomb ends there.
// What is wrong with a coding is `bad_encoding`.

import { messageOf, systemCodeOf } from '../../platform/errors.ts';
import { GatheredBytes, LastPiece } from '../../platform/gathered-bytes.ts';
import type { HeaderList } from '../outcome.ts';
import { type ContentCoding, decodeNow, decodePieces } from './decoder.ts';
import { HopError } from './failure-code.ts';
import { headerValues } from './header-list.ts';

export const ACCEPT_ENCODING = 'gzip, br, zstd, deflate';

// Two happen by mistake (the application and the server in front of it both compress); more are only seen in attacks.
const MOST_CODINGS = 2;

const NAMES: ReadonlyMap<string, ContentCoding> = new Map([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['deflate', 'deflate'],
]);

/**
 * The codings to take off, outermost first. A coding nobody knows (`Content-Encoding: utf-8` is not rare) leaves the
 * whole body as it is, as in browsers. Throws `too_many_encodings`.
 */
export function codingsOf(headers: HeaderList): readonly ContentCoding[] {
  const tokens = headerValues(headers, 'content-encoding')
    .flatMap((value) => value.toLowerCase().split(','))
    .map((token) => token.trim())
    .filter((token) => token !== '' && token !== 'identity');
  if (tokens.length > MOST_CODINGS) {
    throw new HopError(
      'too_many_encodings',
      `the body is encoded ${tokens.length} times, at most ${MOST_CODINGS} are undone`,
    );
  }
  const codings: ContentCoding[] = [];
  for (const token of tokens.reverse()) {
    const coding = NAMES.get(token);
    if (coding === undefined) return [];
    codings.push(coding);
  }
  return codings;
}

/** The body with these codings taken off. Rejects with `decoded_too_large` or `bad_encoding`. */
export async function decodeBody(
  encoded: Uint8Array,
  codings: readonly ContentCoding[],
  maxBytes: number,
): Promise<Uint8Array> {
  let bytes = encoded;
  for (const [index, coding] of codings.entries()) {
    const decoded = decodeSmall(bytes, coding, maxBytes);
    if (decoded === undefined) return decodeLarge(bytes, codings.slice(index), maxBytes);
    bytes = decoded;
  }
  return bytes;
}

/**
 * The same for bytes that come one after the other, which are asked for no sooner than the decoded ones are. What lies
 * between two codings is in memory for no longer than it takes to read it.
 */
export async function* decodeStream(
  source: AsyncIterable<Uint8Array>,
  codings: readonly ContentCoding[],
  maxBytes: number,
): AsyncGenerator<Uint8Array, void> {
  let pieces = source;
  for (const [index, coding] of codings.entries()) {
    pieces = atMost(maxBytes, decodePieces(index === 0 ? pieces : freed(pieces), coding));
  }
  try {
    yield* pieces;
  } catch (error) {
    throw codingFailure(error, maxBytes);
  }
}

/** The failure that an error of zlib means. */
function codingFailure(error: unknown, maxBytes: number): HopError {
  if (error instanceof HopError) return error;
  if (systemCodeOf(error) === 'ERR_BUFFER_TOO_LARGE') return tooLarge(maxBytes);
  return new HopError('bad_encoding', `the body's content coding is broken: ${messageOf(error)}`, error);
}

export function tooLarge(maxBytes: number): HopError {
  return new HopError('decoded_too_large', `the decoded body is longer than ${maxBytes} bytes`);
}

// Below these sizes decoding at once costs a fifth of a trip through the thread pool, and blocks for a millisecond at most.
const SMALL_ENCODED_BYTES = 64 * 1024;
const SMALL_DECODED_BYTES = 2 ** 20;

/** Undefined when the body is large, or may become so. */
function decodeSmall(bytes: Uint8Array, coding: ContentCoding, maxBytes: number): Uint8Array | undefined {
  // An empty body is empty in every coding: servers announce one for HEAD and for empty pages.
  if (bytes.length === 0) return bytes;
  if (bytes.length > SMALL_ENCODED_BYTES) return undefined;
  const maxOutputLength = Math.min(maxBytes, SMALL_DECODED_BYTES);
  try {
    return decodeNow(bytes, coding, maxOutputLength);
  } catch (error) {
    const isWorthMore = systemCodeOf(error) === 'ERR_BUFFER_TOO_LARGE' && maxOutputLength < maxBytes;
    if (!isWorthMore) throw codingFailure(error, maxBytes);
    return undefined;
  }
}

/** In the thread pool, and with the pieces that come of it freed at once, which zlib's own way leaves to the garbage collector. */
async function decodeLarge(
  bytes: Uint8Array,
  codings: readonly ContentCoding[],
  maxBytes: number,
): Promise<Uint8Array> {
  const gathered = new GatheredBytes(maxBytes);
  try {
    for await (const piece of decodeStream(only(bytes), codings, maxBytes)) gathered.push(piece);
    return gathered.take();
  } catch (error) {
    gathered.free();
    throw error;
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function* atMost(maxBytes: number, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    yield piece;
  }
}

/** For a reader that is done with a piece when it asks for the next. */
async function* freed(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const last = new LastPiece();
  for await (const piece of pieces) {
    last.become(piece);
    yield piece;
  }
}

// Takes content codings off (RFC 9110 §8.4) without ever making more than `maxBytes` of output: a bomb ends there.
// What is wrong with a coding is `bad_encoding`.

import { messageOf, systemCodeOf } from '../../platform/errors.ts';
import { freeBytes, GatheredBytes } from '../../platform/gathered-bytes.ts';
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
  for (const coding of codings) {
    const decoded = await decodeOnce(bytes, coding, maxBytes);
    // What lies between two codings is nobody's.
    if (bytes !== encoded) freeBytes(bytes);
    bytes = decoded;
  }
  return bytes;
}

/** The failure that an error of zlib means. */
export function codingFailure(error: unknown, maxBytes: number): HopError {
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

async function decodeOnce(bytes: Uint8Array, coding: ContentCoding, maxBytes: number): Promise<Uint8Array> {
  // An empty body is empty in every coding: servers announce one for HEAD and for empty pages.
  if (bytes.length === 0) return bytes;
  if (bytes.length <= SMALL_ENCODED_BYTES) {
    const maxOutputLength = Math.min(maxBytes, SMALL_DECODED_BYTES);
    try {
      const decoded = decodeNow(bytes, coding, maxOutputLength);
      if (decoded !== undefined) return decoded;
    } catch (error) {
      const worthMore = systemCodeOf(error) === 'ERR_BUFFER_TOO_LARGE' && maxOutputLength < maxBytes;
      if (!worthMore) throw codingFailure(error, maxBytes);
    }
  }
  return decodeLarge(bytes, coding, maxBytes);
}

/** In the thread pool, and with the pieces that come of it freed at once, which zlib's own way leaves to the garbage collector. */
async function decodeLarge(bytes: Uint8Array, coding: ContentCoding, maxBytes: number): Promise<Uint8Array> {
  const gathered = new GatheredBytes(maxBytes);
  try {
    for await (const piece of decodePieces(only(bytes), coding)) {
      if (gathered.length + piece.length > maxBytes) throw tooLarge(maxBytes);
      gathered.push(piece);
    }
    return gathered.take();
  } catch (error) {
    gathered.free();
    throw codingFailure(error, maxBytes);
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

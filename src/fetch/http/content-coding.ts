// Takes content codings off (RFC 9110 §8.4) without ever making more than `maxBytes` of output: a bomb ends there.
// A body that does not end where its coding ends, early or late, is broken: `bad_encoding`.

import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { messageOf, systemCodeOf } from '../../platform/errors.ts';
import type { HeaderList } from '../outcome.ts';
import { HopError } from './failure-code.ts';
import { headerValues } from './header-list.ts';

export type ContentCoding = 'gzip' | 'br' | 'zstd' | 'deflate';

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
  for (const coding of codings) bytes = await decodeOnce(bytes, coding, maxBytes);
  return bytes;
}

/** A stream that takes one coding off; `first` are the first bytes it will get, if they are known. */
export function decoderStream(coding: ContentCoding, first: Uint8Array | undefined): Transform {
  return DECODERS[variantOf(coding, first)].stream();
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
  const decoder = DECODERS[variantOf(coding, bytes)];
  if (bytes.length <= SMALL_ENCODED_BYTES) {
    const maxOutputLength = Math.min(maxBytes, SMALL_DECODED_BYTES);
    try {
      return decoder.now(bytes, maxOutputLength);
    } catch (error) {
      const worthMore = systemCodeOf(error) === 'ERR_BUFFER_TOO_LARGE' && maxOutputLength < maxBytes;
      if (!worthMore) throw codingFailure(error, maxBytes);
    }
  }
  return decoder.later(bytes, maxBytes).catch((error: unknown) => {
    throw codingFailure(error, maxBytes);
  });
}

interface Decoder {
  now(bytes: Uint8Array, maxOutputLength: number): Uint8Array;
  later(bytes: Uint8Array, maxOutputLength: number): Promise<Uint8Array>;
  stream(): Transform;
}

// A gzip file may have several members, and zlib itself refuses what follows them; the other codings must be told to.
const STRICT = { rejectGarbageAfterEnd: true, chunkSize: 65_536 };
// RFC 9659: a window above 8 MiB must not be used in HTTP. It would let a tiny body claim 128 MiB of memory.
const ZSTD = { ...STRICT, params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } };
const GZIP = { chunkSize: 65_536 };

const gunzip = promisify<zlib.InputType, zlib.ZlibOptions, Uint8Array>(zlib.gunzip);
const inflate = promisify<zlib.InputType, zlib.ZlibOptions, Uint8Array>(zlib.inflate);
const inflateRaw = promisify<zlib.InputType, zlib.ZlibOptions, Uint8Array>(zlib.inflateRaw);
const unbrotli = promisify<zlib.InputType, zlib.BrotliOptions, Uint8Array>(zlib.brotliDecompress);
const unzstd = promisify<zlib.InputType, zlib.ZstdOptions, Uint8Array>(zlib.zstdDecompress);

const DECODERS: Readonly<Record<ContentCoding | 'deflate-raw', Decoder>> = {
  gzip: {
    now: (bytes, maxOutputLength) => zlib.gunzipSync(bytes, { maxOutputLength }),
    later: (bytes, maxOutputLength) => gunzip(bytes, { ...GZIP, maxOutputLength }),
    stream: () => zlib.createGunzip(GZIP),
  },
  deflate: {
    now: (bytes, maxOutputLength) => zlib.inflateSync(bytes, { ...STRICT, maxOutputLength }),
    later: (bytes, maxOutputLength) => inflate(bytes, { ...STRICT, maxOutputLength }),
    stream: () => zlib.createInflate(STRICT),
  },
  'deflate-raw': {
    now: (bytes, maxOutputLength) => zlib.inflateRawSync(bytes, { ...STRICT, maxOutputLength }),
    later: (bytes, maxOutputLength) => inflateRaw(bytes, { ...STRICT, maxOutputLength }),
    stream: () => zlib.createInflateRaw(STRICT),
  },
  br: {
    now: (bytes, maxOutputLength) => zlib.brotliDecompressSync(bytes, { ...STRICT, maxOutputLength }),
    later: (bytes, maxOutputLength) => unbrotli(bytes, { ...STRICT, maxOutputLength }),
    stream: () => zlib.createBrotliDecompress(STRICT),
  },
  zstd: {
    now: (bytes, maxOutputLength) => zlib.zstdDecompressSync(bytes, { ...ZSTD, maxOutputLength }),
    later: (bytes, maxOutputLength) => unzstd(bytes, { ...ZSTD, maxOutputLength }),
    stream: () => zlib.createZstdDecompress(ZSTD),
  },
};

// RFC 9110 §8.4.1.2: "deflate" is the zlib format, but some servers send it bare. The zlib header tells (RFC 1950 §2.2).
function variantOf(coding: ContentCoding, first: Uint8Array | undefined): ContentCoding | 'deflate-raw' {
  if (coding !== 'deflate') return coding;
  const [method = 0x78, flags = 0x9c] = first ?? [];
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0 ? 'deflate' : 'deflate-raw';
}

// How long and how much: every limit of the transport with its default, and the one place that fills them in.

/** Time limits. Each is on by default; together they bound every request. */
export interface HopTimeouts {
  /** From the request on the wire to the complete head of the answer, whatever was announced before. Default 30 s; 0: none. */
  readonly headersMs: number;
  /** The longest silence within a body. Default 30 s; 0: none. It does not catch dripping: `totalMs` does. */
  readonly idleMs: number;
  /**
   * The whole exchange, waiting for a free connection included. Default 300 s. A download into a sink gets more: one
   * second for every 16 KiB received, so a large file may take long as long as it comes at that rate.
   */
  readonly totalMs: number;
}

/** Size limits. A body that exceeds one is given up at once, and no more of it than this is ever held. */
export interface HopLimits {
  /** Body as sent. Default 32 MiB. */
  readonly maxEncodedBytes: number;
  /** Body with its content codings taken off. Default 32 MiB. */
  readonly maxDecodedBytes: number;
  /** Either of them, when the body goes to a sink. Default 8 GiB. */
  readonly maxDownloadBytes: number;
}

/** From the name to the last handshake of a new connection. */
export const CONNECT_MS = 10_000;

export const DEFAULT_TIMEOUTS: HopTimeouts = { headersMs: 30_000, idleMs: 30_000, totalMs: 300_000 };

/** The usual limits, and none longer than the whole may take. */
export function timeoutsWithin(totalMs: number): HopTimeouts {
  const { headersMs, idleMs } = DEFAULT_TIMEOUTS;
  return { headersMs: Math.min(headersMs, totalMs), idleMs: Math.min(idleMs, totalMs), totalMs };
}

export const DEFAULT_LIMITS: HopLimits = {
  maxEncodedBytes: 32 * 2 ** 20,
  maxDecodedBytes: 32 * 2 ** 20,
  maxDownloadBytes: 8 * 2 ** 30,
};

/** A download slower than this, averaged over what is past its `totalMs`, is given up. */
export const SLOWEST_DOWNLOAD_BYTES_PER_SECOND = 16 * 1024;

/** More fields than this in one head are `headers_too_large`, however small. */
export const MOST_HEADERS = 1000;

/**
 * What an answer may take on the wire besides its fields and its body: status line, punctuation, informational answers,
 * blank lines, and what little a chunked body of no content is made of. The parser swallows these without a word.
 */
export const SPARE_BYTES = 65_536;

/** And this for each byte of the body. In chunks of one byte five are needed, and sizes may be padded or have extensions. */
export const SPARE_BYTES_PER_BODY_BYTE = 16;

/** More informational answers (1xx) than this before the real one are a `protocol` failure. */
export const MOST_INFORMATIONAL = 20;

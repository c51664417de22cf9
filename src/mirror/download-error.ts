// Why one attempt at a case failed. Raised by clients and the download; caught where the case is worked on.

import type { FailureCode } from './error-codes.ts';

export interface DownloadErrorOptions {
  readonly httpStatus?: number | undefined;
  /** How long the server asked to wait. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Thrown when a case's address or file could not be had. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly code: FailureCode;
  readonly httpStatus: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: FailureCode, message: string, options: DownloadErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.httpStatus = options.httpStatus;
    this.retryAfterMs = options.retryAfterMs;
  }
}

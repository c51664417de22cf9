// What a call may end with instead of its answer, and what errors of the parts below mean to a caller. Nothing unexpected is
// told to the outside: it goes to the log.

import { z } from 'zod';
import { redactSecrets } from '../../observe/redact.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import type { ErrorAnswer } from '../contract/common.ts';

/** Thrown by handlers: this status, this answer. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly answer: ErrorAnswer;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    error: string,
    rest: Omit<ErrorAnswer, 'ok' | 'error'> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(rest.message ?? error);
    this.status = status;
    this.answer = { ok: false, error, ...rest };
    this.headers = headers;
  }
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  [ErrorCode.usage]: 400,
  [ErrorCode.scraperFile]: 400,
  [ErrorCode.scraperDefinition]: 400,
  [ErrorCode.siteFile]: 400,
  [ErrorCode.unknownEntry]: 400,
  [ErrorCode.invalidParameter]: 400,
  [ErrorCode.unknownSource]: 400,
  [ErrorCode.addressRefused]: 400,
  [ErrorCode.runNotFound]: 404,
  [ErrorCode.versionNotFound]: 404,
  [ErrorCode.caseNotFound]: 404,
  [ErrorCode.notInArchive]: 404,
  [ErrorCode.noPartialRun]: 409,
  [ErrorCode.runOwned]: 409,
  [ErrorCode.archiveDamaged]: 410,
  [ErrorCode.serviceUnavailable]: 503,
};

/** What the seed's callers know it as. */
const NAMES: Partial<Record<ErrorCode, string>> = { [ErrorCode.runOwned]: 'run_in_progress' };

/** Undefined for what nobody expected. */
export function httpErrorOf(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof z.ZodError) return badInput(error);
  if (error instanceof CurlewError) return ofCode(error.code, error.message, error.remedy);
  if (!(error instanceof Error) || !('statusCode' in error) || typeof error.statusCode !== 'number') return undefined;
  // Fastify's own: a body that is too large or cannot be read.
  if (error.statusCode >= 500) return undefined;
  return new HttpError(error.statusCode, FASTIFY_NAMES[error.statusCode] ?? 'bad_request', { message: error.message });
}

const FASTIFY_NAMES: Readonly<Record<number, string>> = { 413: 'body_too_large', 415: 'unsupported_media_type' };

/** An error by its code, from this process or told by a child. */
export function ofCode(code: ErrorCode, message: string, remedy: string | undefined): HttpError {
  const said = { message: redactSecrets(message), ...(remedy !== undefined && { remedy: redactSecrets(remedy) }) };
  return new HttpError(STATUS[code] ?? 500, NAMES[code] ?? code, said);
}

function badInput({ issues }: z.ZodError): HttpError {
  const details = issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
  return new HttpError(400, 'invalid_params', { message: `The parameters do not fit: ${details.join('; ')}`, details });
}

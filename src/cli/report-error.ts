// An error as a person sees it, and the exit code it leads to.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { ExitCode } from './exit-code.ts';

/** Errors that come from how Curlew was called: nothing was begun. */
const USAGE: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.usage,
  ErrorCode.scraperFile,
  ErrorCode.scraperDefinition,
  ErrorCode.unknownEntry,
  ErrorCode.invalidParameter,
  ErrorCode.runNotFound,
]);

/** Writes `error` to standard error: what happened, then what to do. An unexpected one comes with its stack. */
export function reportError(error: unknown): ExitCode {
  if (!(error instanceof CurlewError)) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`curlew: something unexpected went wrong. Please report it with what follows.\n${detail}\n`);
    return ExitCode.notOk;
  }
  process.stderr.write(`curlew: ${error.message}\n`);
  if (error.remedy !== undefined) process.stderr.write(`  ${error.remedy}\n`);
  return USAGE.has(error.code) ? ExitCode.usage : ExitCode.notOk;
}

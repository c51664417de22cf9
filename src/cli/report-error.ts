// An error as a person sees it, and the exit code it leads to.

import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import { asCalled } from './as-called.ts';
import { ExitCode } from './exit-code.ts';
import { printableLines } from './format.ts';
import { jsonLine } from './json-line.ts';

/** Errors that come from how Curlew was called: nothing was begun. */
const USAGE: ReadonlySet<ErrorCode> = new Set([
  ErrorCode.usage,
  ErrorCode.scraperFile,
  ErrorCode.scraperDefinition,
  ErrorCode.unknownEntry,
  ErrorCode.invalidParameter,
  ErrorCode.runNotFound,
  ErrorCode.notInArchive,
  ErrorCode.siteFile,
  ErrorCode.noPartialRun,
  ErrorCode.configInvalid,
  ErrorCode.unknownSource,
  ErrorCode.versionNotFound,
  ErrorCode.caseNotFound,
]);

/**
 * Writes `error` to standard error: what happened, then what to do. An unexpected one comes with its stack. With `json` a
 * line about it goes to standard output too.
 */
export function reportError(error: unknown, json: boolean): ExitCode {
  if (!(error instanceof CurlewError)) {
    const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`curlew: something unexpected went wrong. Please report it with what follows.\n${detail}\n`);
    if (json) writeJson(ErrorCode.internal, messageOf(error), undefined);
    return ExitCode.notOk;
  }
  const { code, message, remedy } = error;
  process.stderr.write(`curlew: ${printableLines(message)}\n`);
  // Wrong usage is about how a command is written; whoever wrote it knows how Curlew is called.
  const shown = code === ErrorCode.usage ? remedy : remedy && asCalled(remedy);
  if (shown !== undefined) process.stderr.write(`  ${printableLines(shown)}\n`);
  if (json) writeJson(code, message, remedy);
  return USAGE.has(code) ? ExitCode.usage : ExitCode.notOk;
}

function writeJson(code: ErrorCode, message: string, remedy: string | undefined): void {
  process.stdout.write(`${jsonLine({ error: { code, message, remedy } })}\n`);
}

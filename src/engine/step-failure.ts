// What to tell about a step that threw. The reason is the same for all pages that fail in the same way, so that they can
// be counted; the message is about this one page.

import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import { StructureError } from '../scraper/page/structure-error.ts';

export interface StepFailure {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly message: string;
  readonly remedy?: string;
  readonly stack?: string;
}

/** `scraper` and `step` name the method that threw `error`, whatever that is. */
export function stepFailure(scraper: string, step: string, error: unknown): StepFailure {
  try {
    return tellFailure(scraper, step, error);
  } catch {
    // It cannot even be looked at: a proxy, or an error whose parts throw.
    const message = `${scraper}.${step} threw something that cannot be told`;
    return { code: ErrorCode.stepFailed, reason: message, message };
  }
}

function tellFailure(scraper: string, step: string, error: unknown): StepFailure {
  const place = placeOf(error, `${scraper}.${step}`);
  if (error instanceof CurlewError) {
    const { code, summary, remedy } = error;
    const rest = { code, ...(remedy !== undefined && { remedy }) };
    const placed = (text: string) => endFirstLine(text, place);
    if (error instanceof StructureError) return { ...rest, reason: error.summary, message: placed(error.message) };
    if (summary === undefined) return { ...rest, reason: placed(error.message), message: placed(error.message) };
    const said = (text: string) => placed(`${scraper}.${step}: ${text}`);
    return { ...rest, reason: said(summary), message: said(error.message) };
  }
  const message = `${scraper}.${step} threw: ${messageOf(error)}${place}`;
  const stack = error instanceof Error ? error.stack : undefined;
  return { code: ErrorCode.stepFailed, reason: message, message, ...(stack !== undefined && { stack }) };
}

/** By default ten, of which an expression with a mistake in its middle takes more. */
const FRAMES = 200;

/** Runs the author's code so that what it throws knows the step it came from, however far below that it was thrown. */
export function withLongStacks<T>(run: () => T): T {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = Math.max(before, FRAMES);
  try {
    return run();
  } finally {
    Error.stackTraceLimit = before;
  }
}

/** What follows the first line may be a drawing: an expression with a caret below it. */
function endFirstLine(text: string, end: string): string {
  const [first = '', ...drawing] = text.split('\n');
  return [first + end, ...drawing].join('\n');
}

/** Where in the author's file the step was when it threw, in parentheses: ` (court.ts:23:15)`. Empty when not known. */
function placeOf(error: unknown, method: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const frame = stack.split('\n').find((line) => line.includes(`at ${method} (`));
  const [, place] = /([^/\\]+:\d+:\d+)\)$/.exec(frame ?? '') ?? [];
  return place === undefined ? '' : ` (${place})`;
}

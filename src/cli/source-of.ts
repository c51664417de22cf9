// The file to load for a run that was begun earlier.

import type { Run } from '../ledger/run.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';

/** `given` if there is one, else the file the run was begun from. */
export function sourceOf(run: Run, given: string | undefined): string {
  const source = given ?? run.source;
  if (source !== undefined) return source;
  throw new CurlewError(ErrorCode.usage, `Run ${run.id} was started from code, not from a file.`, {
    remedy: 'Name the scraper with --file, or do it from code.',
  });
}

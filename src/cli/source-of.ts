// The file to load for a run that was begun earlier.

import { existsSync } from 'node:fs';
import type { Run } from '../ledger/run.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';

/** `given` if there is one, else the file the run was begun from. Throws `usage` when that is not there. */
export async function sourceOf({ id, kind, source }: Run, given: string | undefined): Promise<string> {
  if (kind === 'mirror') {
    throw new CurlewError(ErrorCode.usage, `Run ${id} is a mirror's, and no scraper reads it.`, {
      remedy: 'Go on with what it left: curlew mirror run --mode resume.',
    });
  }
  if (given !== undefined) return given;
  // Ours, wherever Curlew is now: it may have been installed elsewhere when the run was begun.
  if (kind === 'fetch') return (await import('../engine/url-list.ts')).URL_LIST_FILE;
  if (source !== undefined && existsSync(source)) return source;
  const why =
    source === undefined ? 'was started from code, not from a file' : `was begun from ${source}, which is not there`;
  throw new CurlewError(ErrorCode.usage, `Run ${id} ${why}.`, { remedy: 'Name the scraper with --file.' });
}

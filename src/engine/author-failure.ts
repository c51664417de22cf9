// An error out of an author's entry or speculator, said with its name: the run cannot go on, and can be resumed when the
// scraper is corrected.

import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';

/** `where` names what failed: `Entry start of Court failed`. What was said by one of our own definitions is kept as it is. */
export function authorFailure(where: string, cause: unknown): CurlewError {
  if (cause instanceof CurlewError && cause.code === ErrorCode.scraperDefinition) return cause;
  const remedy =
    cause instanceof CurlewError ? cause.remedy : 'Correct the scraper, then continue with curlew resume latest.';
  const place = cause instanceof CurlewError ? '' : placeOf(cause);
  return new CurlewError(ErrorCode.scraperDefinition, `${where}: ${messageOf(cause)}${place}`, {
    ...(remedy !== undefined && { remedy }),
    cause,
  });
}

/** Where it was thrown, in parentheses: ` (court.ts:23:15)`. Empty when not known. */
function placeOf(error: unknown): string {
  const frame = error instanceof Error ? /^\s+at .*$/m.exec(error.stack ?? '')?.[0] : undefined;
  const [, place] = /([^/\\(]+:\d+:\d+)\)?$/.exec(frame ?? '') ?? [];
  return place === undefined ? '' : ` (${place})`;
}

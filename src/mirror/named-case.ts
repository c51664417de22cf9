// A case that somebody names: whether there is one, and whether it may be fetched.

import type { StoredCase } from '../ledger/mirror/case-row.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';

/** No version of the index has ever had a case of that token. */
export function caseNotFound(source: string, token: string): CurlewError {
  return new CurlewError(ErrorCode.caseNotFound, `There is no case ${JSON.stringify(token)} in ${source}.`, {
    remedy: 'Take the token from the Actions column of the index. curlew mirror sync fetches a new index.',
  });
}

/** As a sentence; null for a case that may be fetched. */
export function whyNeverFetched({ isActive, isCriminal }: StoredCase): string | null {
  if (isCriminal) return 'It is a criminal case: those are listed and never fetched.';
  return isActive ? null : 'The newest index no longer lists it.';
}

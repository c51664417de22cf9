// Whether a partial run may become a run: all of its start pages walked to their end, and none of them empty. Pure.

import type { StartPage, StoredPartialRun } from '../ledger/sites/partial-run-table.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';

/** Gives `partial` back, or throws what is against it: in the order none, empty, incomplete. */
export function assertCommittable(siteId: string, partial: StoredPartialRun | undefined): StoredPartialRun {
  if (partial === undefined) {
    throw new CurlewError(ErrorCode.noPartialRun, `No partial run to commit for ${siteId}`, {
      remedy: 'Walk its start pages first: curlew sites run site.ts',
    });
  }
  const empty = partial.startPages.filter(({ completed, urls }) => completed && urls === 0);
  if (empty.length > 0) {
    const names = empty.map(({ url }) => url).join(', ');
    throw new CurlewError(
      ErrorCode.emptyPagination,
      `Pagination returned 0 URLs - aborting entire run of ${siteId}: ${names}`,
      { remedy: KEPT },
    );
  }
  const incomplete = partial.startPages.filter(({ completed }) => !completed);
  if (incomplete.length > 0) {
    throw new CurlewError(
      ErrorCode.incompletePagination,
      `Not all paginations completed successfully for ${siteId}: ${incomplete.map(describe).join('; ')}`,
      { remedy: KEPT },
    );
  }
  return partial;
}

const KEPT = 'What was walked is kept. See curlew sites status; go on with curlew sites resume.';

function describe({ url, reason, pages }: StartPage): string {
  return `${url} (${reason ?? (pages === 0 ? 'not begun' : `stopped after page ${pages}`)})`;
}

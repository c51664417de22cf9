// Whether a partial run may become a run: all of its start pages walked to their end, and none of them empty. Pure.

import type { StartPage, StoredPartialRun } from '../ledger/sites/partial-run-table.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';

/**
 * Gives `partial` back, or throws what is against it: in the order none, empty, incomplete. What was walked with another
 * definition than the one given is incomplete.
 */
export function assertCommittable(
  siteId: string,
  partial: StoredPartialRun | undefined,
  definition?: string,
): StoredPartialRun {
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
      { remedy: kept(siteId) },
    );
  }
  const incomplete = partial.startPages.filter(({ completed }) => !completed);
  if (incomplete.length > 0) {
    throw new CurlewError(
      ErrorCode.incompletePagination,
      `Not all paginations completed successfully for ${siteId}: ${incomplete.map(describe).join('; ')}`,
      { remedy: kept(siteId) },
    );
  }
  if (partial.definition !== undefined && definition !== undefined && partial.definition !== definition) {
    throw new CurlewError(
      ErrorCode.incompletePagination,
      `Not all paginations completed successfully for ${siteId}: its lists were walked with another definition than the site has now`,
      { remedy: `Walk them again: curlew sites resume ${siteId}` },
    );
  }
  return partial;
}

function kept(siteId: string): string {
  return `What was walked is kept. See it with curlew sites status; continue with curlew sites resume ${siteId}`;
}

function describe({ url, reason, pages, urls }: StartPage): string {
  if (reason !== undefined) return `${url} (${reason})`;
  if (pages > 0) return `${url} (stopped after page ${pages})`;
  return `${url} (${urls === 0 ? 'not begun' : `not completed, ${urls} URLs so far`})`;
}

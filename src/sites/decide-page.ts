// Where a walk stands with a page: it goes on, it is at its end, or it is not complete. Pure.
// At its end: no next page, a page that was seen before, or as many pages as were wanted. Not complete: the site states
// more items than there were, items have moved while they were read, or a page has none where some should be.

import type { StartPage, StartPageProgress } from '../ledger/sites/partial-run-table.ts';
import type { Recognised } from '../ledger/sites/walk-writer.ts';
import type { SiteDefinition } from './define-site.ts';
import type { ListPage } from './read-list-page.ts';

/** A list that is longer than this has no end, unless the site says otherwise. */
const MOST_PAGES = 10_000;

export type WalkRules = Pick<SiteDefinition, 'maxPages'> &
  Pick<SiteDefinition['list'], 'itemsMayRepeat' | 'lastPageMayBeEmpty'>;

type End = 'the last page' | 'a page that was seen before' | 'as many pages as wanted' | 'a page without items';

/** The progress of a walk after `page`, which came after what `before` says and is known as `known` says. */
export function decidePage(
  before: Pick<StartPage, 'pages' | 'listed' | 'statedTotal'>,
  page: ListPage,
  known: Recognised,
  rules: WalkRules,
): StartPageProgress {
  const repeats = known.isRepetition && page.items.length > 0;
  const pages = before.pages + 1;
  const listed = before.listed + (repeats ? 0 : page.items.length);
  const statedTotal = page.total ?? before.statedTotal;
  const progress = { pages, listed, statedTotal };
  const moved = repeats ? undefined : findMove(before, page, known, rules);
  if (moved !== undefined) return notComplete(progress, `items moved while they were read: ${moved}`);
  const end = repeats ? 'a page that was seen before' : findEnd(pages, page, known, rules);
  if (end === undefined) {
    if (rules.maxPages === undefined && pages >= MOST_PAGES) {
      return notComplete(progress, `no end after ${pages} pages: set maxPages`);
    }
    return { ...progress, completed: false, nextUrl: page.nextUrl, reason: undefined };
  }
  const missing = findMissing(progress, end, rules);
  if (missing !== undefined) return notComplete(progress, missing);
  return { ...progress, completed: true, nextUrl: undefined, reason: `ended with ${end}` };
}

function findMove(
  before: Pick<StartPage, 'pages' | 'statedTotal'>,
  page: ListPage,
  { fresh }: Recognised,
  { itemsMayRepeat = false }: WalkRules,
): string | undefined {
  const number = before.pages + 1;
  if (page.total !== undefined && before.statedTotal !== undefined && page.total !== before.statedTotal) {
    return `page ${number} states a total of ${page.total}, the page before ${before.statedTotal}`;
  }
  const again = page.items.length - fresh.length;
  if (again > 0 && !itemsMayRepeat) return `${again} of the items on page ${number} had been on an earlier one`;
  return undefined;
}

function findEnd(pages: number, page: ListPage, known: Recognised, { maxPages }: WalkRules): End | undefined {
  if (page.items.length === 0 && pages > 1) return 'a page without items';
  if (page.nextUrl === undefined) return 'the last page';
  if (known.nextIsKnown) return 'a page that was seen before';
  return maxPages !== undefined && pages >= maxPages ? 'as many pages as wanted' : undefined;
}

function findMissing(
  { pages, listed, statedTotal }: Pick<StartPage, 'pages' | 'listed' | 'statedTotal'>,
  end: End,
  { lastPageMayBeEmpty = false }: WalkRules,
): string | undefined {
  if (statedTotal !== undefined) {
    return listed < statedTotal ? `only ${listed} of the ${statedTotal} items that the site states` : undefined;
  }
  return end === 'a page without items' && !lastPageMayBeEmpty
    ? `page ${pages} has no items, although the page before leads to it`
    : undefined;
}

/** It has to be walked again from its beginning. */
function notComplete(progress: Pick<StartPage, 'pages' | 'listed' | 'statedTotal'>, reason: string): StartPageProgress {
  return { ...progress, completed: false, nextUrl: undefined, reason };
}

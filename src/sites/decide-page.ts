// Whether a list goes on after a page, is at its end, or does not fit together. Pure. A list is at its end only when the
// walk can say why: as the site's author declares that lists end, or with all the items that the site states.

import type { StartPage } from '../ledger/sites/partial-run-table.ts';
import type { Recognised } from '../ledger/sites/walk-writer.ts';
import type { ListOptions, NextOnLastPage, SiteDefinition } from './define-site.ts';
import { isSamePage } from './page-address.ts';
import { isSelector, type ListPage } from './read-list-page.ts';

/** A list that is longer than this has no end, unless the site says otherwise. */
const MOST_PAGES = 10_000;

export type WalkRules = Pick<SiteDefinition, 'maxPages'> & ListOptions;

/** What is counted of a list: pages read, items on them, different ones, and how many there are as the site says. */
export type ListCounts = Pick<StartPage, 'pages' | 'listed' | 'urls' | 'statedTotal'>;

/**
 * `goes_on`: the next page is due. `ended`: with `reason`; unless `counts`, what stands on the page is not part of the list.
 * `not_believed`: the page is not saved, and is asked for again next time. `does_not_fit`: the list has to be walked anew.
 */
export type PageDecision =
  | { readonly kind: 'goes_on'; readonly nextUrl: string }
  | { readonly kind: 'ended'; readonly reason: string; readonly counts: boolean }
  | { readonly kind: 'not_believed'; readonly reason: string }
  | { readonly kind: 'does_not_fit'; readonly reason: string };

/** What `page` means, which was asked for as `url` after what `before` says, and is known as `known` says. */
export function decidePage(
  before: ListCounts,
  url: string,
  page: ListPage,
  known: Recognised,
  rules: WalkRules,
): PageDecision {
  const number = before.pages + 1;
  const whole = allStated(before);
  const stray = findStray(number, url, page, known, rules);
  if (stray !== undefined) return whole === undefined ? notBelieved(stray) : end(whole, false);
  const again = number > 1 && page.items.length > 0 ? (known.samePage ?? known.landedOn) : undefined;
  if (again !== undefined) {
    const repeated = whole === undefined ? decideRepetition(number, again, rules) : end(whole, false);
    return repeated.kind === 'ended' ? checkTotal(before, repeated) : repeated;
  }
  const moved = findMove(before, page, known, rules);
  if (moved !== undefined) return { kind: 'does_not_fit', reason: `items moved while they were read: ${moved}` };
  const counts = countWith(before, page, known);
  const decided =
    page.items.length === 0 ? decideEmpty(number, page, rules) : decideNext(number, url, page, known, rules);
  const all = allStated(counts);
  if (decided.kind === 'goes_on') return decideLimit(number, decided, counts, rules);
  if (all !== undefined) return decided.kind === 'ended' ? decided : end(all);
  if (decided.kind !== 'ended') return decided;
  const isCut = rules.maxPages !== undefined && number >= rules.maxPages;
  if (known.unreadPage !== undefined && !isCut) {
    const reason = `page ${number} has no usable next link, but links to a further page that was not read: ${known.unreadPage}`;
    return notBelieved(reason);
  }
  return checkTotal(counts, decided);
}

/** What is counted when `page` is part of the list. */
export function countWith(before: ListCounts, { items, total }: ListPage, { fresh }: Recognised): ListCounts {
  return {
    pages: before.pages + 1,
    listed: before.listed + items.length,
    urls: before.urls + fresh.length,
    statedTotal: total ?? before.statedTotal,
  };
}

/** Which pages are read a second time when a list has come to its end: unless declared, none where a total is reached. */
export function pagesToRecheck(
  { pages, statedTotal }: Pick<ListCounts, 'pages' | 'statedTotal'>,
  hasKnownEnd: boolean,
  rules: WalkRules,
): number {
  const { recheck = statedTotal === undefined ? 'first-page' : 'none' } = rules;
  if (recheck === 'none') return 0;
  if (pages === 1) return hasKnownEnd ? 0 : 1;
  return recheck === 'every-page' ? pages : 1;
}

/** That all items that the site states are there, in words. With items that repeat, it may state them or their rows. */
function allStated({ listed, urls, statedTotal }: ListCounts): string | undefined {
  const isAll = statedTotal !== undefined && statedTotal > 0 && (statedTotal === listed || statedTotal === urls);
  return isAll ? `all ${statedTotal} items that the site states` : undefined;
}

/** A redirect to another page than the one that was asked for. An expired session looks like that. */
function findStray(
  number: number,
  url: string,
  page: ListPage,
  known: Recognised,
  { pagesMayRedirect = false }: WalkRules,
): string | undefined {
  if (pagesMayRedirect || isSamePage(url, page.url)) return undefined;
  if (number === 1) {
    return (
      `the start page was redirected to ${page.url}. If the list has moved, write the address of its first page as the ` +
      'start page; if its pages are always answered from another address, declare list.pagesMayRedirect'
    );
  }
  const which = known.landedOn === undefined ? '' : `, which is page ${known.landedOn}`;
  return `page ${number} was redirected to ${page.url}${which}`;
}

function decideRepetition(number: number, again: number, rules: WalkRules): PageDecision {
  if (again === number - 1 && ends(rules, 'itself'))
    return end('a next link that leads to the last page itself', false);
  if (again === 1 && ends(rules, 'first-page')) return end('a next link that leads to the first page', false);
  return { kind: 'does_not_fit', reason: `page ${number} shows the same items as page ${again}. ${DECLARE}` };
}

function decideEmpty(number: number, { next, isMarkedEmpty }: ListPage, rules: WalkRules): PageDecision {
  const { lastPageMayBeEmpty = false } = rules;
  if (next.kind === 'page') return notBelieved(`page ${number} has no items, but a next link to ${next.url}`);
  if (number === 1) return end('a first page without items');
  if (lastPageMayBeEmpty === false) {
    return { kind: 'does_not_fit', reason: `page ${number} has no items, although the page before leads to it` };
  }
  if (isSelector(lastPageMayBeEmpty) && !isMarkedEmpty) {
    return notBelieved(`page ${number} has no items, and not what lastPageMayBeEmpty says an empty page shows`);
  }
  return end('a page without items');
}

function decideNext(
  number: number,
  url: string,
  { url: landed, next }: ListPage,
  { nextPage }: Recognised,
  rules: WalkRules,
): PageDecision {
  switch (next.kind) {
    case 'none':
      if (number === 1 || ends(rules, 'absent')) return end('a page without a next link');
      return notBelieved(`page ${number} has no next link, but the site declares that one stands on the last page`);
    case 'dead':
      if (ends(rules, 'disabled')) return end('a next link that leads nowhere');
      if (next.isSelf && ends(rules, 'itself')) return end('a next link that leads to the last page itself');
      return notBelieved(
        `the next link of page ${number} has no address that can be fetched (${next.written}). ${DECLARE}`,
      );
    case 'page':
      if (next.url === url || next.url === landed || nextPage === number) {
        if (ends(rules, 'itself')) return end('a next link that leads to the last page itself');
        return {
          kind: 'does_not_fit',
          reason: `the next link of page ${number} leads to that page itself. ${DECLARE}`,
        };
      }
      if (nextPage === undefined) return { kind: 'goes_on', nextUrl: next.url };
      if (nextPage === 1 && ends(rules, 'first-page')) return end('a next link that leads to the first page');
      return {
        kind: 'does_not_fit',
        reason: `the next link of page ${number} leads back to page ${nextPage}. ${DECLARE}`,
      };
  }
}

const DECLARE = 'If its lists end that way, declare it in list.nextOnLastPage';

function decideLimit(
  number: number,
  goesOn: Extract<PageDecision, { kind: 'goes_on' }>,
  counts: ListCounts,
  { maxPages }: WalkRules,
): PageDecision {
  if (maxPages !== undefined && number >= maxPages) return checkTotal(counts, end('as many pages as wanted'));
  if (maxPages === undefined && number >= MOST_PAGES) {
    return { kind: 'does_not_fit', reason: `no end after ${number} pages: set maxPages` };
  }
  return goesOn;
}

function findMove(
  before: ListCounts,
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

/** A total that does not agree is against an end, whichever way. */
function checkTotal(counts: ListCounts, ended: PageDecision): PageDecision {
  const { listed, urls, statedTotal } = counts;
  if (statedTotal === undefined || statedTotal === listed || statedTotal === urls) return ended;
  const reason =
    listed < statedTotal
      ? `only ${listed} of the ${statedTotal} items that the site states`
      : `${urls} items, but the site states ${statedTotal}: items were removed, or list.total is not the number of items`;
  return { kind: 'does_not_fit', reason };
}

function ends({ nextOnLastPage = 'absent' }: WalkRules, how: NextOnLastPage): boolean {
  return typeof nextOnLastPage === 'string' ? nextOnLastPage === how : nextOnLastPage.includes(how);
}

function end(reason: string, counts = true): PageDecision {
  return { kind: 'ended', reason: `ended with ${reason}`, counts };
}

function notBelieved(reason: string): PageDecision {
  return { kind: 'not_believed', reason };
}

// Whether a list must still have what it had in the run before. Pure.

import type { StartPage } from '../ledger/sites/partial-run-table.ts';
import type { SiteDefinition } from './define-site.ts';

/** Not when the site declares otherwise, nor of a list of which only the first pages are read: its items move out of them. */
export function keepsItems({ pages }: Pick<StartPage, 'pages'>, { list, maxPages }: SiteDefinition): boolean {
  if (list.itemsMayVanish === true) return false;
  return maxPages === undefined || pages < maxPages;
}

// One page of a list: its rows, the stated total, and the link to the next page unless it is the last.

import { escapeHtml } from '../escape-html.ts';
import { casePath } from './case-page.ts';
import type { Docket } from './docket.ts';
import { courtPage } from './html.ts';

const PAGE_SIZE = 20;

export interface Listing {
  readonly heading: string;
  /** Case ids in order. */
  readonly cases: readonly number[];
  /** As stated, true or not. */
  readonly total: number;
  readonly pagePath: (page: number) => string;
  /** Next links that lead elsewhere than to the next page: page → page. */
  readonly jumps: ReadonlyMap<number, number>;
}

export function listPage(docket: Docket, listing: Listing, page: number): string {
  const { heading, cases, total, pagePath, jumps } = listing;
  const pages = Math.max(1, Math.ceil(cases.length / PAGE_SIZE));
  const next = jumps.get(page) ?? (page < pages ? page + 1 : undefined);
  const shown = cases.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  return courtPage(
    heading,
    `<h1>${escapeHtml(heading)}</h1>
<p><span class="total">${total} results</span>, <span class="page">page ${page} of ${pages}</span></p>
${caseTable(docket, shown)}
<nav>${next === undefined ? '' : `<a class="next" rel="next" href="${escapeHtml(pagePath(next))}">Next</a>`}</nav>`,
  );
}

/** `table.cases` with one row a case, or a sentence when there is none. */
export function caseTable(docket: Docket, ids: readonly number[]): string {
  if (ids.length === 0) return '<p class="empty">No cases found.</p>';
  const rows = ids.map((id) => {
    const { number, title, filed } = docket.record(id);
    return `<tr><td><a href="${casePath(id)}">${number}</a></td><td>${escapeHtml(title)}</td><td>${filed}</td></tr>`;
  });
  return `<table class="cases">
<tr><th>Number</th><th>Title</th><th>Filed</th></tr>
${rows.join('\n')}
</table>`;
}

// The second listing: the same cases, paged by the server, with a stated total. Each case once, so its total is a second
// count of the corpus.

import { escapeHtml } from '../escape-html.ts';
import type { JudgmentCase } from './judgment-case.ts';
import { ADVANCED_SEARCH_PATH } from './paths.ts';
import { downloadButton, judicialPage } from './register-page.ts';

const PAGE_SIZE = 10;

/** Pages count from 1; beyond the last there are no rows and no next link. */
export function advancedSearchPage(cases: readonly JudgmentCase[], page: number): string {
  const shown = cases.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  const next = page * PAGE_SIZE < cases.length ? `<li class="nextpage">${link(page + 1, 'next', 'Next')}</li>` : '';
  const previous = page > 1 ? `<li class="prevpage">${link(page - 1, 'prev', 'Previous')}</li>` : '';
  const total = `Total Records Found: ${cases.length}, showing ${PAGE_SIZE} per page`;
  return judicialPage(
    'Unreported Judgments, advanced search',
    `<h1>Unreported Judgments</h1>
<div class="pdb-list" id="participants-list-1">
<p class="list-count">${total}</p>
${shown.length === 0 ? '<p class="no-records">No Records Found</p>' : listTable(shown)}
<nav class="pagination"><ul>${previous}${next}</ul></nav>
</div>`,
  );
}

function listTable(cases: readonly JudgmentCase[]): string {
  const rows = cases.map(({ citation, causeNumber, dateText, title, court, category, token, fid }) => {
    const cells = [citation, causeNumber, dateText, title, court, category].map(
      (cell) => `<td>${escapeHtml(cell)}</td>`,
    );
    return `<tr>${cells.join('')}<td>${downloadButton(token, fid)}</td></tr>`;
  });
  const heads = ['Neutral Citation', 'Cause Number', 'Judgment Date', 'Title', 'Court', 'Category', 'Actions'];
  return `<table class="list-container">
<thead><tr>${heads.map((name) => `<th>${name}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>`;
}

function link(page: number, rel: 'next' | 'prev', label: string): string {
  return `<a rel="${rel}" href="${ADVANCED_SEARCH_PATH}?listpage=${page}&amp;instance=1">${label}</a>`;
}

// The pages of a case: as HTML, as JSON, and as HTML that a script fills in. Exactly one h1, one .number and one
// <time> on a case page, so that checked selectors fit.

import { escapeHtml } from '../escape-html.ts';
import type { CaseRecord } from './case-record.ts';
import type { Docket } from './docket.ts';
import { courtPage } from './html.ts';

export function casePage(docket: Docket, id: number): string {
  const record = docket.record(id);
  return courtPage(record.number, [caseHead(record), caseTables(record), caseLinks(docket, record)].join('\n'));
}

/** The body of a soft 404. */
export function caseNotFoundPage(): string {
  return courtPage('Case not found', '<h1>Case not found</h1>\n<p class="notice">No case has this number.</p>');
}

/** What a scraper of the JSON gets. */
export function caseJson(docket: Docket, id: number): CaseRecord & { readonly related: readonly string[] } {
  return { ...docket.record(id), related: docket.related(id).map(casePath) };
}

/** Empty without JavaScript. With it, the same selectors as on the case page fit once the script has run. */
export function scriptedCasePage(id: number): string {
  return courtPage(
    'Case',
    `<article id="case" data-id="${id}">Loading…</article>
<script>
const article = document.getElementById('case');
fetch('/api/case/' + article.dataset.id).then(async (response) => {
  if (!response.ok) { article.textContent = 'Case not found'; return; }
  const record = await response.json();
  const add = (tag, name, text) => article.appendChild(Object.assign(document.createElement(tag), { className: name, textContent: text }));
  article.textContent = '';
  add('h1', '', record.title);
  add('p', 'number', record.number);
  add('time', 'filed', record.filed);
  for (const path of record.documents) add('a', 'pdf', path).href = path;
});
</script>`,
  );
}

export function casePath(id: number): string {
  return `/case/${id}`;
}

function caseHead({ title, number, filed, judge, division }: CaseRecord): string {
  return `<h1>${escapeHtml(title)}</h1>
<dl>
<dt>Case number</dt><dd class="number">${number}</dd>
<dt>Filed</dt><dd><time datetime="${filed}">${filed}</time></dd>
<dt>Judge</dt><dd class="judge">${escapeHtml(judge)}</dd>
<dt>Division</dt><dd class="division"><a href="/list/${division}">${division}</a></dd>
</dl>`;
}

function caseTables({ parties, entries }: CaseRecord): string {
  const partyRows = parties.map(({ role, name }) => `<tr><td>${role}</td><td>${escapeHtml(name)}</td></tr>`);
  const entryRows = entries.map(({ date, text }) => `<tr><td>${date}</td><td>${escapeHtml(text)}</td></tr>`);
  return `<table class="parties">
<tr><th>Role</th><th>Name</th></tr>
${partyRows.join('\n')}
</table>
<table class="docket">
<tr><th>Date</th><th>Entry</th></tr>
${entryRows.join('\n')}
</table>`;
}

function caseLinks(docket: Docket, { id, documents }: CaseRecord): string {
  const pdfs = documents.map((path, index) => `<li><a class="pdf" href="${path}">Document ${index + 1}</a></li>`);
  const related = docket
    .related(id)
    .map((other) => `<li><a href="${casePath(other)}">${docket.record(other).number}</a></li>`);
  const turn = (rel: 'prev' | 'next', label: string) => {
    const other = docket.neighbour(id, rel === 'prev' ? -1 : 1);
    return other === undefined ? '' : `<a rel="${rel}" href="${casePath(other)}">${label}</a>`;
  };
  return `<ul class="documents">${pdfs.join('')}</ul>
<ul class="related">${related.join('')}</ul>
<nav>${turn('prev', 'Previous case')} ${turn('next', 'Next case')}</nav>`;
}

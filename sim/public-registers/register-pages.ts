// The pages of the registers: the front page with its token, a list page by page, an entry, and the orders as a file.

import { escapeHtml } from '../escape-html.ts';
import type { Register, RegisterEntry } from './register-entries.ts';

const PAGE_SIZE = 20;

/** The front page. Whoever asks for documents sends its token back. */
export function frontPage(registers: readonly Register[], token: string): string {
  const links = registers.map(({ id, title }) => `<li><a href="/registers/${id}">${escapeHtml(title)}</a></li>`);
  return page(
    'Public registers',
    `<ul class="registers">${links.join('')}<li><a href="/registers/orders.csv">Orders (CSV)</a></li></ul>
<form id="documents" method="post" action="/documents/ticket"><input type="hidden" name="csrf" value="${token}"></form>`,
  );
}

export function listPage({ id, title, entries }: Register, number: number): string {
  const pages = Math.max(1, Math.ceil(entries.length / PAGE_SIZE));
  const rows = entries.slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE).map((entry) => {
    const link = `<a href="/registers/${id}/${entry.number}">${entry.number}</a>`;
    return `<tr><td>${link}</td><td>${escapeHtml(entry.name)}</td><td>${entry.date}</td></tr>`;
  });
  const next = number < pages ? `<a class="next" href="/registers/${id}?page=${number + 1}">Next</a>` : '';
  return page(
    title,
    `<p class="total">${entries.length} entries</p>
<table class="register">${rows.join('\n')}</table>
<nav>${next}</nav>`,
  );
}

export function entryPage({ title }: Register, { number, name, date, document }: RegisterEntry): string {
  return page(
    `${title}: ${number}`,
    `<h1>${escapeHtml(name)}</h1>
<dl><dt>Number</dt><dd class="number">${number}</dd><dt>Date</dt><dd><time>${date}</time></dd></dl>
<button type="button" data-document="${document}">Document</button>`,
  );
}

/** Semicolons, as spreadsheets of half of the world write them. */
export function ordersCsv({ entries }: Register): string {
  const lines = entries.map(({ number, name, date, document }) => [number, name, date, document].map(quoted).join(';'));
  return `${['Order No.;Respondent;Date;Document', ...lines].join('\r\n')}\r\n`;
}

function quoted(cell: string): string {
  return /[";\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body>
<header><a href="/registers/">Public registers</a></header>
<main>
${content}
</main>
<footer>Simulated registers. Nothing here is real.</footer>
</body>
</html>
`;
}

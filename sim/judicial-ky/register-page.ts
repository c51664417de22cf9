// The page of unreported judgments: the whole register in one table, the nonce in an inline script, and the script that
// pages the table. A row has a button for each of its files, and no link.

import { escapeHtml } from '../escape-html.ts';
import { INDEX_COLUMNS, type IndexRow, shownCells } from './index-row.ts';
import type { JudgmentCase } from './judgment-case.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { AJAX_PATH } from './paths.ts';
import type { JudicialKySettings } from './settings.ts';

export interface RegisterPage {
  /** From `registerRows`. */
  readonly rows: string;
  readonly nonce: string;
  readonly nonceName: JudicialKySettings['nonceName'];
  /** Whether a banner lies over everything, so that nothing can be clicked. */
  readonly isCovered: boolean;
}

/** `find` gives the case of a token. */
export function registerRows(rows: readonly IndexRow[], find: (token: string) => JudgmentCase | undefined): string {
  return rows
    .map((row) => {
      const cells = shownCells(row).map((cell) => `<td>${escapeHtml(cell)}</td>`);
      const buttons = row.tokens.map((token) => downloadButton(token, find(token)?.fid ?? ''));
      return `<tr>${cells.join('')}<td>${buttons.join(' ')}</td></tr>`;
    })
    .join('\n');
}

export function downloadButton(token: string, fid: string): string {
  const attributes = `class="btn p-2 btn-outline-primary lh-1" data-dl="${escapeHtml(token)}" data-fid="${fid}"`;
  return `<button type="button" ${attributes} aria-label="Download"></button>`;
}

export function registerPage({ rows, nonce, nonceName, isCovered }: RegisterPage): string {
  const heads = INDEX_COLUMNS.map((name) => `<th>${name}</th>`).join('');
  // WordPress escapes slashes in such objects.
  const settings = JSON.stringify({ ajax_url: AJAX_PATH, [nonceName]: nonce }).replaceAll('/', '\\/');
  return judicialPage(
    'Unreported Judgments',
    `<h1>Unreported Judgments</h1>
<p id="dl-message" role="alert"></p>
<table id="judgment-registers" class="table">
<thead><tr>${heads}</tr></thead>
<tbody>
${rows}
</tbody>
</table>${isCovered ? '\n<div style="position:fixed;inset:0;z-index:9;background:#fffc">We value your privacy.</div>' : ''}
<script id="bfile-js-extra">
var bfile = ${settings};
</script>
<script id="bfile-js">${PAGE_SCRIPT}</script>`,
  );
}

/** The same words after a redesign: no table of that name, no nonce, no script. */
export function redesignedPage(): string {
  return judicialPage('Judgments', '<h1>Judgments</h1>\n<div id="app" class="judgment-grid">Loading…</div>');
}

/** A whole document. `title` is text, `content` is HTML. */
export function judicialPage(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${escapeHtml(title)} – Simulated Judicial Administration</title>
<link rel="icon" href="data:,">
</head>
<body>
<main>
${content}
</main>
<footer>A simulated court. Nothing here is real.</footer>
</body>
</html>
`;
}

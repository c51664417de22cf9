// A cell may name several documents. They are told apart by `|`, `;` and `,`, never by spaces: tokens may contain those. The
// `;` that ends a character reference (`&amp;`) is part of its token.

import { unescapeHtml } from './unescape-html.ts';

const SEPARATOR_OR_REFERENCE = /&(?:#\d+|#x[\da-f]+|[a-z][a-z\d]*);|[|;,]/gi;

export function splitTokens(cell: string): string[] {
  const tokens: string[] = [];
  let start = 0;
  for (const { 0: found, index } of cell.matchAll(SEPARATOR_OR_REFERENCE)) {
    if (unescapeHtml(found) !== found) continue;
    const end = index + found.length;
    tokens.push(cell.slice(start, end - 1));
    start = end;
  }
  tokens.push(cell.slice(start));
  return tokens.map((token) => token.trim()).filter((token) => token !== '');
}

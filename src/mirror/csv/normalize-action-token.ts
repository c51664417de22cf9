// The one rule that makes a case's identity out of what stands in the `Actions` cell. Change it only with a migration.

import { unescapeHtml } from './unescape-html.ts';

/**
 * HTML references and percent-encoding undone (`+` is a space), trimmed, in upper case, and nothing but A–Z and 0–9 kept.
 * Empty when nothing is left: such a token names no case.
 */
export function normalizeActionToken(raw: string): string {
  return decodeUrl(unescapeHtml(raw))
    .replaceAll('\u00a0', ' ')
    .trim()
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '');
}

/** Sequences that are no UTF-8 become U+FFFD; a `%` that encodes nothing stays. */
function decodeUrl(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));
}

// HTML's character references undone, in text that is no markup.

import { Parser } from 'htmlparser2';

export function unescapeHtml(text: string): string {
  if (!text.includes('&')) return text;
  let unescaped = '';
  const parser = new Parser({ ontext: (part) => void (unescaped += part) }, { decodeEntities: true });
  // What looks like a tag is text.
  parser.end(text.replaceAll('<', '&lt;'));
  return unescaped;
}

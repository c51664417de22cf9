// An event as a line: `[SCRAPER][LABEL] key=value`. Whatever a site sends, a line stays a line, acts on no terminal, and
// can be taken apart again: a value is bare, or a JSON string.

import type { MirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import { redactSecrets } from '../../observe/redact.ts';
import type { Json } from '../../platform/json.ts';

const BARE = /^[\w.:/+@%*-]+$/;
/** Terminal control (C1) and bidirectional formatting characters: JSON leaves them as they are. */
const ACTING = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export function formatEvent({ label, caseId, fields }: MirrorEvent, at: string, run: number | undefined): string {
  const all = { at, run_id: run, case_id: caseId, ...fields };
  const parts = Object.entries(all).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [`${keyText(key)}=${valueText(value)}`],
  );
  return redactSecrets(`[SCRAPER][${label}] ${parts.join(' ')}`);
}

function keyText(key: string): string {
  return key.replace(/[^\w.-]/g, '_');
}

function valueText(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (BARE.test(text)) return text;
  return JSON.stringify(text).replace(ACTING, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

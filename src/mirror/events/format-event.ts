// An event as a line: `[SCRAPER][LABEL] key=value`. Whatever a site sends, a line stays a line, acts on no terminal, and
// can be taken apart again: a value is bare, or a JSON string.

import type { MirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import { redactSecrets } from '../../observe/redact.ts';
import { escapeActing } from '../../platform/acting-characters.ts';
import type { Json } from '../../platform/json.ts';

const BARE = /^[\w.:/+@%*-]+$/;

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
  return escapeActing(JSON.stringify(text));
}

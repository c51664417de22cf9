// Takes secrets out of text on its way to a log: the last door, so that no caller has to think of it. It looks at the
// shape of what is written, and would rather hide too much than too little. What was JSON stays JSON.

import { redactJson } from './redact-json.ts';
import { redactText } from './redact-text.ts';
import { SECRET_ENDINGS, SECRET_HEADERS, SECRET_PARAMETERS } from './secret-names.ts';

/** One of these is in every text that has a secret; most lines have none of them. JSON may escape any letter. */
const SUSPICIOUS = new RegExp(
  `${SECRET_ENDINGS}|${SECRET_PARAMETERS}|${SECRET_HEADERS}|@|%(?:25){0,4}40|bearer|basic|digest|download|\\\\u00`,
  'i',
);

/** The same text with the values of secrets replaced. */
export function redactSecrets(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  // A string in JSON may be JSON again. That goes on for few times: quotes within quotes double with each.
  return isJson(text) ? redactJson(text, redactSecrets) : redactText(text);
}

function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// Takes secrets out of a JSON text, and leaves a JSON text: what an object has under the name of a secret is hidden whole,
// whatever it is, and every string is cleaned by itself. The rest stays as it is written.

import { endOfString, endOfValue } from './json-text.ts';
import { isSecretField, isSecretHeader } from './secret-names.ts';

const HIDDEN = '"***"';
const COLON = /\s*:\s*/y;
const COMMA = /\s*,\s*(?=")/y;
/** These tell nothing. */
const WORD = /true|false|null/y;

/** `text` must be JSON; `redact` cleans one string. */
export function redactJson(text: string, redact: (string: string) => string): string {
  let redacted = '';
  let kept = 0;
  const replace = (from: number, to: number, by: string) => {
    redacted += text.slice(kept, from) + by;
    kept = to;
  };
  for (let at = text.indexOf('"'); at !== -1; ) {
    const end = endOfString(text, at);
    const string: string = JSON.parse(text.slice(at, end));
    const clean = redact(string);
    if (clean !== string) replace(at, end, JSON.stringify(clean));
    const secret = secretNamedBy(string, text, end);
    if (secret !== undefined) replace(secret.from, secret.to, HIDDEN);
    at = text.indexOf('"', secret?.to ?? end);
  }
  return redacted + text.slice(kept);
}

/** Where the secret stands in `text` that has the string `name`, which ends at `end`, for a name. */
function secretNamedBy(name: string, text: string, end: number): { from: number; to: number } | undefined {
  const value = placeBehind(COLON, text, end);
  if (value !== undefined) {
    return isSecretField(name) && placeBehind(WORD, text, value) === undefined
      ? { from: value, to: endOfValue(text, value) }
      : undefined;
  }
  // In a list: `["Cookie", "sid=1"]`. In an object, the next string is the name of something else.
  const next = isSecretHeader(name) ? placeBehind(COMMA, text, end) : undefined;
  if (next === undefined) return undefined;
  const to = endOfString(text, next);
  return placeBehind(COLON, text, to) === undefined ? { from: next, to } : undefined;
}

function placeBehind(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

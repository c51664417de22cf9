// Takes secrets out of text that is not JSON as a whole, though parts of it may be, by the shape of what is written. None of
// these may look at a stretch of text more than a few times: much of what is logged was written by a site.

import { endOfValue } from './json-text.ts';
import { BRACKETS, SECRET_ENDINGS, SECRET_HEADERS, SECRET_PARAMETERS, SECRET_WORDS } from './secret-names.ts';

const HIDDEN = '***';

/** A character in an address, as it is or escaped, as it is within a parameter of another address, or of one within that. */
const spelled = (character: string, code: string) => `(?:${character}|%(?:25){0,4}${code})`;
/** To the end of a JSON string, or of the line where there is none. */
const REST = '[^"\\\\\\r\\n]*(?:\\\\.[^"\\\\\\r\\n]*)*';
/** The same for a header, which may have quotes of its own: `sid="1"; a=b`. */
const HEADER_REST = '(?:="[^"\\\\\\r\\n]*"(?=[;,\\s]|$)|[^"\\\\\\r\\n]|\\\\.)*';
const FIELD = `(?:${SECRET_ENDINGS}|(?<=["'])(?:${SECRET_WORDS})|\\b(?:${SECRET_HEADERS}))${BRACKETS}`;

/** `user:password@` in a URL of any scheme. The user goes too: proxy accounts are named after their owners. */
const USER_INFO = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@"]+@/gi;
const ESCAPED_USER_INFO =
  /(%(?:25){0,4}3A(?:%(?:25){0,4}2F){2})(?:(?!%(?:25){0,4}(?:2F|3F|23))[^\s/?#@"&])+(@|%(?:25){0,4}40)/gi;
const PARAMETER = new RegExp(
  `((?:${SECRET_ENDINGS}|(?<=${spelled('[?&;#]', '(?:3F|26|3B|23)')})(?:${SECRET_PARAMETERS}))${BRACKETS}${spelled('=', '3D')})[^&#\\s"'\\\\]+`,
  'gi',
);
/** A field in JSON: a string, a number, or all there is in brackets. */
const STRING_FIELD = new RegExp(`(${FIELD}"\\s*:\\s*")${REST}`, 'gi');
const NUMBER_FIELD = new RegExp(`(${FIELD}"\\s*:\\s*)-?\\d[\\d.e+-]*`, 'gi');
const BRACKETED_FIELD = new RegExp(`${FIELD}"\\s*:\\s*(?=[[{])`, 'gi');
/** A field in JSON within a string, or in what is much like JSON. It may be anything but a word that tells nothing. */
const QUOTED_FIELD = new RegExp(
  `(${FIELD}(?:\\\\{1,8}["']|')\\s*:\\s*)(?!true|false|null)(?:\\\\{0,8}["'])?${REST}`,
  'gi',
);
const ASSIGNMENT = new RegExp(
  `(^|[\\s,{("'])((?:[\\w.[%-]*(?:${SECRET_ENDINGS})|${SECRET_WORDS})${BRACKETS}\\s*[=:]\\s*)(?:\\\\?["']${REST}|[^\\s,&"'\\\\}]+)`,
  'gi',
);
const HEADER = new RegExp(
  `\\b(${SECRET_HEADERS}|(?:x-[\\w-]{0,64})?(?:token|api-key|secret))(\\\\?["']?\\s*[:,=]\\s*\\\\?["']?)${HEADER_REST}`,
  'gi',
);
/** The signature in the path of a file server's signed address, `/d/1/<signature>/download`, slashes escaped or not. */
const SIGNED_PATH = /(\\{0,8}\/d\\{0,8}\/\d{1,20}\\{0,8}\/)[^\s"'/\\?#]+(?=\\{0,8}\/download)/gi;
/** WordPress' nonce in a sentence. */
const NONCE = /\b(nonce:?\s{1,8})[0-9a-f]{10}\b/gi;
const BEARER = /\b(bearer|basic|digest)\s{1,8}[\w.~+/=-]{6,}/gi;

/** The same text with the values of secrets replaced. */
export function redactText(text: string): string {
  return withoutBrackets(text)
    .replace(USER_INFO, `$1${HIDDEN}@`)
    .replace(ESCAPED_USER_INFO, `$1${HIDDEN}$2`)
    .replace(PARAMETER, `$1${HIDDEN}`)
    .replace(STRING_FIELD, `$1${HIDDEN}`)
    .replace(NUMBER_FIELD, `$1"${HIDDEN}"`)
    .replace(QUOTED_FIELD, `$1${HIDDEN}`)
    .replace(ASSIGNMENT, `$1$2${HIDDEN}`)
    .replace(HEADER, `$1$2${HIDDEN}`)
    .replace(SIGNED_PATH, `$1${HIDDEN}`)
    .replace(NONCE, `$1${HIDDEN}`)
    .replace(BEARER, `$1 ${HIDDEN}`);
}

/** Without the secrets in brackets, whose end no regular expression finds. */
function withoutBrackets(text: string): string {
  let redacted = '';
  let kept = 0;
  BRACKETED_FIELD.lastIndex = 0;
  while (BRACKETED_FIELD.test(text)) {
    redacted += `${text.slice(kept, BRACKETED_FIELD.lastIndex)}"${HIDDEN}"`;
    kept = endOfValue(text, BRACKETED_FIELD.lastIndex);
    BRACKETED_FIELD.lastIndex = kept;
  }
  return redacted + text.slice(kept);
}

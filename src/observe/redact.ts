// Takes secrets out of text on its way to a log: the last door, so that no caller has to think of it. It looks at the
// shape of what is written, and would rather hide too much than too little.

const HIDDEN = '***';

/** Names of query parameters, form fields and JSON keys whose values are secrets. */
const SECRET_NAMES =
  '[\\w.-]*(?:token|secret|password|passwd|pwd|nonce|signature|credential|api[_-]?key|session[_-]?id|access[_-]?key)|auth|sig|security|sid|key-pair-id|policy';

/** `user:password@` in a URL of any scheme. The user goes too: proxy accounts are named after their owners. */
const USER_INFO = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"]+@/gi;
const PARAMETER = new RegExp(`([?&;](?:${SECRET_NAMES})=)[^&#;\\s"'\\\\]*`, 'gi');
const PROPERTY = new RegExp(`(\\\\?["'](?:${SECRET_NAMES})\\\\?["']\\s*:\\s*\\\\?["'])[^"'\\\\]*`, 'gi');
const ASSIGNMENT = new RegExp(`(^|[\\s,{("'])((?:${SECRET_NAMES})\\s*=\\s*)[^\\s,&"'\\\\}]+`, 'gi');
const HEADER =
  /\b((?:proxy-)?authorization|cookie|set-cookie|x-[\w-]*token)(\\?["']?\s*[:,=]\s*\\?["']?)[^"'\r\n\\]+/gi;
/** The signature in the path of a file server's signed address, `/d/1/<signature>/download`, slashes escaped or not. */
const SIGNED_PATH = /(\\*\/d\\*\/\d+\\*\/)[^\s"'/\\?#]+(?=\\*\/download)/gi;
/** WordPress' nonce in a sentence. */
const NONCE = /\b(nonce:?\s+)[0-9a-f]{10}\b/gi;
const BEARER = /\b(bearer|basic)\s+[\w.~+/=-]{6,}/gi;

/** The same text with the values of secrets replaced. */
export function redactSecrets(text: string): string {
  return text
    .replace(USER_INFO, `$1${HIDDEN}@`)
    .replace(PARAMETER, `$1${HIDDEN}`)
    .replace(PROPERTY, `$1${HIDDEN}`)
    .replace(ASSIGNMENT, `$1$2${HIDDEN}`)
    .replace(HEADER, `$1$2${HIDDEN}`)
    .replace(SIGNED_PATH, `$1${HIDDEN}`)
    .replace(NONCE, `$1${HIDDEN}`)
    .replace(BEARER, `$1 ${HIDDEN}`);
}

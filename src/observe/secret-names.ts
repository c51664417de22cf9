// The names that sites and people give to secrets, as pieces of regular expressions without regard to case.

/** Whatever stands before them: `ajax_nonce`, `user[password]`, `X-Amz-Signature`. */
export const SECRET_ENDINGS = [
  'token|secret|passw(?:or)?d|passphrase|pwd|nonce|signature|credentials?|session[_-]?id|sessid|jwt|hmac|oauth_verifier',
  '(?:api|auth|access|account|private|shared|signing|subscription)[_-]?key(?:[_-]?id)?',
].join('|');
/** Only as they are. */
export const SECRET_WORDS = 'auth|pass|sig|security|sid|key-pair-id|policy';
/** And those that are so in addresses, and elsewhere mean other things. */
export const SECRET_PARAMETERS = `${SECRET_WORDS}|key|session|ticket|otp`;
export const SECRET_HEADERS = '(?:proxy-)?authorization|(?:set-)?cookie';
/** What may follow a name: it is one of many, or within another. */
export const BRACKETS = '(?:\\[\\]|\\]|%5B%5D|%5D)*';

const FIELD = new RegExp(`(?:${SECRET_ENDINGS}|^(?:${SECRET_WORDS})|\\b(?:${SECRET_HEADERS}))${BRACKETS}$`, 'i');
const PARAMETER = new RegExp(`^(?:${SECRET_PARAMETERS})${BRACKETS}$`, 'i');
const HEADER = new RegExp(`^[\\w-]*\\b(?:${SECRET_HEADERS}|token|api-key|secret)$`, 'i');

/** Is what an object has under `name` a secret? */
export function isSecretField(name: string): boolean {
  return FIELD.test(name);
}

/** Is the value of a field of this name in an address or a form a secret? */
export function isSecretParameter(name: string): boolean {
  return PARAMETER.test(name) || isSecretField(name);
}

/** Is what stands behind `name` in a list a secret, as headers are listed? */
export function isSecretHeader(name: string): boolean {
  return HEADER.test(name);
}

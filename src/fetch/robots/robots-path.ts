// The part of a URL that robots rules speak about, in the spelling they are compared in: path and query, percent
// escapes in upper case. Works on any string. Nothing is decoded: `%62` and `b` stay different, as in Google's parser.

/**
 * Path and query of `url`, always starting with `/`. Scheme, authority and fragment are dropped; a string without a
 * path gives `/`. Characters outside ASCII are left as they are: hand in a `URL`'s `href`, where they are escaped.
 */
export function pathOfUrl(url: string): string {
  const hash = url.indexOf('#');
  const whole = hash === -1 ? url : url.slice(0, hash);
  const start = whole.startsWith('//') ? 2 : 0;
  const scheme = whole.indexOf('://', start);
  const early = indexOfPath(whole, start);
  // A path or query that begins before `://` holds it: `/go?to=http://x` has no scheme.
  const authority = scheme === -1 || early < scheme ? start : scheme + 3;
  const path = whole.slice(indexOfPath(whole, authority));
  return upperCaseEscapes(path.startsWith('/') ? path : `/${path}`);
}

/** A rule's value as it is compared: bytes above ASCII escaped, escapes in upper case. One character is one byte. */
export function escapePattern(bytes: string): string {
  return upperCaseEscapes(bytes.replace(ABOVE_ASCII, (byte) => `%${byte.charCodeAt(0).toString(16)}`));
}

const ABOVE_ASCII = /[\x80-\xff]/g;

// RFC 3986 §6.2.2.1: the hex digits of an escape have no case.
function upperCaseEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (found) => found.toUpperCase());
}

/** Where path, parameters or query begin; the length of `text` when they do not. */
function indexOfPath(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '/' || char === '?' || char === ';') return at;
  }
  return text.length;
}

// One spelling for percent-escapes that mean the same (RFC 3986 §6.2.2).

const ESCAPE = /%[0-9a-fA-F]{2}/g;

/** `text` with the digits of its escapes in upper case, and unreserved characters bare. */
export function foldEscapes(text: string): string {
  return text.includes('%') ? text.replace(ESCAPE, fold) : text;
}

function fold(triplet: string): string {
  const code = Number.parseInt(triplet.slice(1), 16);
  return isUnreserved(code) ? String.fromCharCode(code) : triplet.toUpperCase();
}

/**
 * RFC 3986 §2.3, less the dot: the URL Standard reads `%2e` as a dot segment already, and where it does not
 * (in a query) nothing is gained by folding it.
 */
function isUnreserved(code: number): boolean {
  return (
    (code >= 0x41 && code <= 0x5a) || // A–Z
    (code >= 0x61 && code <= 0x7a) || // a–z
    (code >= 0x30 && code <= 0x39) || // 0–9
    code === 0x2d || // -
    code === 0x5f || // _
    code === 0x7e // ~
  );
}

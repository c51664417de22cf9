// One spelling for addresses that mean the same, and never for two that do not: only what the URL Standard and RFC 3986
// §6.2.2 call equivalent is folded. Query order, trailing slashes and letter case of the path stay as they are.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { foldEscapes } from '../platform/percent-escapes.ts';

/** By code of an ASCII character: what may stand anywhere in a plain path, and what may follow a slash in it. */
const PLAIN = 1;
const AFTER_SLASH = 2;
const CLASSES = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[\w?-]/.test(character)) return PLAIN | AFTER_SLASH;
  return /[~=&+,;:@!$*./]/.test(character) ? PLAIN : 0;
});
const SLASH = 0x2f;

/**
 * Whether what stands in `address` from `start` on is a path, perhaps with a query, that the URL Standard leaves as it is:
 * no dot segments, nothing to be escaped or folded, no host (`//`), no fragment. Most links of most sites are such, and
 * parsing them costs as much as finding them. Asked twice for every link, so it is a loop and no regular expression.
 */
export function isPlainPath(address: string, start = 0): boolean {
  if (address.charCodeAt(start) !== SLASH) return false;
  for (let at = start + 1, wanted = AFTER_SLASH; at < address.length; at++) {
    const code = address.charCodeAt(at);
    if (((CLASSES[code] ?? 0) & wanted) === 0) return false;
    wanted = code === SLASH ? AFTER_SLASH : PLAIN;
  }
  return true;
}

/**
 * Resolves `address` against `base` and gives it its one spelling: scheme and host in lower case, default port and dot
 * segments gone (URL Standard), the fragment dropped, percent-escapes in upper case, escaped unreserved characters bare.
 * Throws `invalid_request` for what is no address, or not http(s).
 */
export function canonicalUrl(address: string, base?: string): string {
  if (base !== undefined && continuesPlainly(address, base)) return address;
  const url = parse(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new CurlewError(
      ErrorCode.invalidRequest,
      `Only http and https can be fetched, not ${url.protocol}//: ${address}`,
    );
  }
  // `url.hash = ''` would also drop the mark of an empty query in some spellings, and costs more.
  const href = url.href;
  const hash = href.indexOf('#');
  const bare = hash === -1 ? href : href.slice(0, hash);
  return foldEscapes(bare);
}

/** Whether `address` has the scheme, host and port of `base`, and after them nothing that could be spelt otherwise. */
function continuesPlainly(address: string, base: string): boolean {
  const root = rootOf(base);
  return root !== undefined && address.startsWith(root) && isPlainPath(address, root.length);
}

let lastRoot: string | undefined;

/** What stands before the path of `base`, in its one spelling. Pages of one site have the same, so the last is remembered. */
export function rootOf(base: string): string | undefined {
  if (lastRoot !== undefined && base.charCodeAt(lastRoot.length) === SLASH && base.startsWith(lastRoot))
    return lastRoot;
  const root = URL.parse('/', base)?.href.slice(0, -1);
  // Where hosts end with the first slash: `file:` has none.
  if (root?.startsWith('http')) lastRoot = root;
  return root;
}

function parse(address: string, base: string | undefined): URL {
  try {
    return new URL(address, base);
  } catch (cause) {
    throw new CurlewError(ErrorCode.invalidRequest, `This is not an address: ${JSON.stringify(address)}`, {
      remedy: base === undefined ? 'Give an absolute URL with http or https.' : `It was resolved against ${base}.`,
      cause,
    });
  }
}

// The name that a server suggests for a file: Content-Disposition (RFC 6266, RFC 8187), else the end of the URL's path.
// Remote data: it is not made safe for a file system here.

import { headerText } from './header-list.ts';

const EXTENDED = /(?:^|;)\s*filename\*\s*=\s*([\w-]+)'[^']*'([^;\s]+)/i;
const PLAIN = /(?:^|;)\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i;

/** The suggested name, without any directories; undefined when there is none. */
export function remoteFileName(contentDisposition: string | undefined, url: string): string | undefined {
  const suggested = fromDisposition(contentDisposition ?? '') || fromUrl(url);
  return suggested?.split(/[/\\]/).findLast((segment) => segment !== '');
}

function fromDisposition(header: string): string | undefined {
  const [, charset = '', extended] = EXTENDED.exec(header) ?? [];
  const decoded = extended && decodeExtended(charset, extended);
  if (decoded) return decoded;
  const [, quoted, token] = PLAIN.exec(header) ?? [];
  // Not RFC 2616 quoting when it is a path of Windows, as some servers send.
  const plain = quoted?.replace(/\\(["\\])/g, '$1') ?? token;
  return plain && headerText(plain);
}

function decodeExtended(charset: string, value: string): string | undefined {
  const bytes = Buffer.from(
    value.replace(/%([\da-fA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return undefined;
  }
}

function fromUrl(url: string): string | undefined {
  const segment = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  if (segment === '') return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

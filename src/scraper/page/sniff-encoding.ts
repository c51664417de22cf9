// Which encoding a page says it is in. The rules are those of the HTML standard §13.2.3 (sniffing): byte order mark, then
// Content-Type, then a prescan of the first 1024 bytes for <meta> or an XML declaration. Unknown labels are passed over.

const PRESCANNED_BYTES = 1024;
const COMMENT = /<!--.*?(?:-->|$)/gs;
const META = /<meta[\s/]((?:[^>"']|"[^"]*"|'[^']*')*)>/gi;
const ATTRIBUTE = /([^\s=/>"']+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))/g;
const CHARSET = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i;
const XML_DECLARATION = /^<\?xml[^>]*?\sencoding\s*=\s*(?:"([^"]+)"|'([^']+)')/;

export interface SniffedEncoding {
  /** The Encoding Standard's name for it, in lower case. */
  readonly encoding: string;
  /** Length of the byte order mark. */
  readonly skip: number;
}

/** The encoding of `bytes`; UTF-8 when nothing says otherwise. */
export function sniffEncoding(bytes: Buffer, contentType: string | undefined): SniffedEncoding {
  return (
    fromByteOrderMark(bytes) ?? {
      encoding: encodingNamed(charsetIn(contentType)) ?? fromMarkup(bytes, contentType) ?? 'utf-8',
      skip: 0,
    }
  );
}

function fromByteOrderMark(bytes: Buffer): SniffedEncoding | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: 'utf-8', skip: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', skip: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', skip: 2 };
  return undefined;
}

const JSON_TYPE = /^\s*[\w.+-]+\/(?:[\w.+-]+\+)?json\b/i;

function fromMarkup(bytes: Buffer, contentType: string | undefined): string | undefined {
  // RFC 8259 §8.1: UTF-8, whatever markup its strings hold.
  if (contentType !== undefined && JSON_TYPE.test(contentType)) return undefined;
  const start = bytes.toString('latin1', 0, PRESCANNED_BYTES);
  if (start.startsWith('<\0?\0x\0')) return 'utf-16le';
  if (start.startsWith('\0<\0?\0x')) return 'utf-16be';
  const declared = XML_DECLARATION.exec(start);
  return declaredInAscii(declared?.[1] ?? declared?.[2]) ?? fromMeta(start);
}

function fromMeta(start: string): string | undefined {
  for (const [, attributes = ''] of start.replace(COMMENT, '').matchAll(META)) {
    const found = new Map<string, string>();
    for (const [, name = '', double, single, bare] of attributes.matchAll(ATTRIBUTE)) {
      const key = name.toLowerCase();
      if (!found.has(key)) found.set(key, double ?? single ?? bare ?? '');
    }
    const charset = found.get('charset') ?? (isContentType(found) ? charsetIn(found.get('content')) : undefined);
    const encoding = declaredInAscii(charset);
    if (encoding !== undefined) return encoding;
  }
  return undefined;
}

function isContentType(attributes: ReadonlyMap<string, string>): boolean {
  return attributes.get('http-equiv')?.toLowerCase() === 'content-type';
}

/** What the value of a Content-Type says. */
function charsetIn(contentType = ''): string | undefined {
  const match = CHARSET.exec(contentType);
  return match?.[1] ?? match?.[2] ?? match?.[3];
}

/** A declaration that could be read as ASCII cannot be right in naming UTF-16 (HTML standard, prescan). */
function declaredInAscii(label: string | undefined): string | undefined {
  const encoding = encodingNamed(label);
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return 'utf-8';
  return encoding === 'x-user-defined' ? 'windows-1252' : encoding;
}

/** The name of the encoding with that label, or undefined when there is none. */
export function encodingNamed(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

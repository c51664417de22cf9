// The start line and header fields of an archived HTTP message, as text and back. Nothing in a name or value can end the
// head early, and every field that no longer describes the stored bytes is kept under a prefix, to be restored on reading.

import type { Header } from './exchange.ts';

/** Web archives put this before fields that describe the transfer and not the stored bytes. */
const ORIGINAL = 'x-archive-orig-';

/** A parsed head and where the body begins. */
export interface HttpHead {
  readonly startLine: string;
  readonly headers: readonly Header[];
  readonly bodyOffset: number;
}

/** The stored payload that a head must fit. */
export interface PayloadShape {
  /** In bytes. */
  readonly size: number;
  /** The content coding has been taken off. */
  readonly decoded?: boolean;
}

/**
 * The head of a message, up to and with the empty line, a character for each byte. `Transfer-Encoding`, a `Content-Length` that
 * does not fit, and the `Content-Encoding` of a decoded payload get the prefix; so does a field that already has it, so that
 * reading takes away exactly what writing added.
 */
export function formatHttpHead(startLine: string, headers: readonly Header[], payload: PayloadShape): string {
  let head = `${lineText(startLine)}\r\n`;
  for (const [name, value] of headers) {
    head += `${describesTransfer(name, value, payload) ? ORIGINAL : ''}${fieldName(name)}: ${lineText(value)}\r\n`;
  }
  return `${head}\r\n`;
}

/** Undoes `formatHttpHead`. Undefined if there is no complete head at the start of `block`. */
export function parseHttpHead(block: Buffer): HttpHead | undefined {
  const end = block.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [startLine = '', ...lines] = block.toString('latin1', 0, end).split('\r\n');
  const headers: Header[] = [];
  for (const line of lines) {
    const field = parseField(line);
    if (field === undefined) return undefined;
    const [name, value] = field;
    headers.push([name.startsWith(ORIGINAL) ? name.slice(ORIGINAL.length) : name, value]);
  }
  return { startLine, headers, bodyOffset: end + 4 };
}

/** Splits `Name: value`; whitespace around the value is not part of it (RFC 9110 §5.5). */
export function parseField(line: string): Header | undefined {
  const colon = line.indexOf(':');
  if (colon < 1) return undefined;
  let start = colon + 1;
  let end = line.length;
  while (start < end && isBlank(line.charCodeAt(start))) start++;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--;
  return [line.slice(0, colon), line.slice(start, end)];
}

/** One line, a character for each byte, as fields are received. Where one is no byte, all are written in UTF-8. */
export function lineText(text: string): string {
  if (!/[\r\n\0\u0100-\uffff]/.test(text)) return text;
  return oneLine(/[\u0100-\uffff]/.test(text) ? Buffer.from(text).toString('latin1') : text);
}

/** RFC 9110 §5.5: a recipient replaces CR, LF and NUL within a field value by a space. */
export function oneLine(text: string): string {
  return /[\r\n\0]/.test(text) ? text.replace(/[\r\n\0]/g, ' ') : text;
}

/** RFC 9110 §5.6.2: a field name is a token. */
function fieldName(name: string): string {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) ? name : name.replace(/[^\w!#$%&'*+.^`|~-]/g, '_') || '_';
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function describesTransfer(name: string, value: string, payload: PayloadShape): boolean {
  if (name.startsWith(ORIGINAL)) return true;
  switch (name.length) {
    case 14:
      return name.toLowerCase() === 'content-length' && value !== String(payload.size);
    case 16:
      return payload.decoded === true && name.toLowerCase() === 'content-encoding';
    case 17:
      return name.toLowerCase() === 'transfer-encoding';
    default:
      return false;
  }
}

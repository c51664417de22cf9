// Header fields as they stood on the wire: order, case and repetition kept. Names are compared without case.

import type { HeaderList } from '../outcome.ts';

/** The value of the first field of that name (given in lower case). */
export function headerValue(headers: HeaderList, name: string): string | undefined {
  for (const [key, value] of headers) {
    if (key.length === name.length && key.toLowerCase() === name) return value;
  }
  return undefined;
}

/** The values of every field of that name (given in lower case), in order. */
export function headerValues(headers: HeaderList, name: string): readonly string[] {
  const values: string[] = [];
  for (const [key, value] of headers) {
    if (key.length === name.length && key.toLowerCase() === name) values.push(value);
  }
  return values;
}

/** The list without the fields of these names (given in lower case). */
export function withoutHeaders(headers: HeaderList, names: ReadonlySet<string>): HeaderList {
  return headers.filter(([key]) => !names.has(key.toLowerCase()));
}

/** What parsers hand over: name, value, name, value. Bytes are read as Latin-1 (RFC 9110 §5.5). */
export function headersFromRaw(raw: readonly (Buffer | string)[]): HeaderList {
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    headers.push([latin1(raw[index]), withoutBlanks(latin1(raw[index + 1]))]);
  }
  return headers;
}

function latin1(text: Buffer | string = ''): string {
  return typeof text === 'string' ? text : text.toString('latin1');
}

const TAB = 0x09;
const SPACE = 0x20;

/** RFC 9110 §5.5: blanks around a value are no part of it. Parsers leave tabs behind it. */
function withoutBlanks(value: string): string {
  let end = value.length;
  for (; end > 0; end--) {
    const last = value.charCodeAt(end - 1);
    if (last !== TAB && last !== SPACE) break;
  }
  return end === value.length ? value : value.slice(0, end);
}

/** A text that was read as UTF-8, a character for each byte of it. */
export function latin1FromUtf8(text: string): string {
  return ABOVE_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text;
}

const ABOVE_ASCII = /[^\0-\x7f]/;

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Values are read as Latin-1; but sites that write something beyond ASCII into one mostly write UTF-8. */
export function headerText(value: string): string {
  try {
    return UTF_8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

// Reads robots.txt as site owners really write it, and as Google's parser does: field names in any case, with their
// common misspellings and with something after them; a blank in place of the colon; lines ended by LF, CR or CRLF.
// One pass over the bytes: how a line begins says whether the rest of it is worth a look.

import { isBlank, LOWER_CASE } from './ascii.ts';
import { LineTable, type RobotsField } from './line-table.ts';

interface FieldName {
  readonly field: RobotsField;
  /** In lower case. */
  readonly letters: Uint8Array;
}

const NAMES: readonly FieldName[] = [
  fieldName('agent', 'user-agent'),
  fieldName('agent', 'useragent'),
  fieldName('agent', 'user agent'),
  fieldName('allow', 'allow'),
  fieldName('disallow', 'disallow'),
  fieldName('disallow', 'dissallow'),
  fieldName('disallow', 'dissalow'),
  fieldName('disallow', 'disalow'),
  fieldName('disallow', 'diasllow'),
  fieldName('disallow', 'disallaw'),
  fieldName('sitemap', 'sitemap'),
  fieldName('sitemap', 'site-map'),
  fieldName('crawl_delay', 'crawl-delay'),
  fieldName('crawl_delay', 'crawldelay'),
  fieldName('crawl_delay', 'crawl delay'),
];
/** By the byte they begin with, in either case. */
const NAMES_BY_FIRST: readonly (readonly FieldName[] | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const names = NAMES.filter(({ letters }) => letters[0] === LOWER_CASE[byte]);
  return names.length > 0 ? names : undefined;
});
const SHORTEST_LINE = 'allow:\n';
/** As in the reference parser: the rest of a longer line is dropped. */
const MAX_LINE_BYTES = 2083 * 8 - 1;

const LF = 0x0a;
const CR = 0x0d;
const HASH = 0x23;
const COLON = 0x3a;

/** The lines of `bytes` that have a field with a meaning here. */
export function readLines(bytes: Uint8Array): LineTable {
  const lines = new LineTable(Math.ceil(bytes.length / SHORTEST_LINE.length));
  for (let start = 0, number = 1; start < bytes.length; number++) {
    let at = start;
    let byte = bytes[at] ?? LF;
    while (isBlank(byte)) byte = bytes[++at] ?? LF;
    const name = nameAt(bytes, at, NAMES_BY_FIRST[byte]);
    if (name !== undefined) {
      const end = contentEnd(bytes, at + name.letters.length);
      addLine(lines, bytes, name, at, Math.min(end, start + MAX_LINE_BYTES), number);
      at = end;
      byte = bytes[at] ?? LF;
    }
    while (byte !== LF && byte !== CR) byte = bytes[++at] ?? LF;
    start = byte === CR && bytes[at + 1] === LF ? at + 2 : at + 1;
  }
  return lines;
}

function nameAt(bytes: Uint8Array, at: number, names: readonly FieldName[] | undefined): FieldName | undefined {
  if (names === undefined) return undefined;
  for (const name of names) {
    const { letters } = name;
    let index = 1;
    while (index < letters.length && LOWER_CASE[bytes[at + index] ?? LF] === letters[index]) index++;
    if (index === letters.length) return name;
  }
  return undefined;
}

/** Where the line ends, or its comment begins. */
function contentEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  let byte = bytes[at] ?? LF;
  while (byte !== LF && byte !== CR && byte !== HASH) byte = bytes[++at] ?? LF;
  return at;
}

/** Adds the line whose name stands at `start`, if something parts it from a value. */
function addLine(
  lines: LineTable,
  bytes: Uint8Array,
  { field, letters }: FieldName,
  start: number,
  end: number,
  number: number,
): void {
  let to = end;
  while (isBlank(bytes[to - 1] ?? LF)) to--;
  const nameEnd = start + letters.length;
  let colon = nameEnd;
  while (colon < to && bytes[colon] !== COLON) colon++;
  const separator = colon < to ? colon : onlyGap(bytes, start, to);
  if (separator < nameEnd) return;
  let from = separator + 1;
  while (from < to && isBlank(bytes[from] ?? LF)) from++;
  lines.add(field, from, to, number);
}

/** The first blank between two words, when there are exactly two; else -1. */
function onlyGap(bytes: Uint8Array, start: number, to: number): number {
  let gap = start;
  while (gap < to && !isBlank(bytes[gap] ?? LF)) gap++;
  if (gap === to) return -1;
  let at = gap;
  while (isBlank(bytes[at] ?? LF)) at++;
  while (at < to && !isBlank(bytes[at] ?? LF)) at++;
  return at === to ? gap : -1;
}

function fieldName(field: RobotsField, name: string): FieldName {
  return { field, letters: Buffer.from(name) };
}

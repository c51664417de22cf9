// The lines of robots.txt: fields and their values. Reads what site owners really write, as Google's parser does: field
// names in any case, with their common misspellings and with something after them; a blank in place of the colon;
// lines ended by LF, CR or CRLF. Linear in the text, and values are not copied: they are places in it.

export type RobotsField = 'agent' | 'allow' | 'disallow' | 'sitemap' | 'crawl_delay';

/** As in the reference parser: the rest of a longer line is dropped. */
const MAX_LINE_BYTES = 2083 * 8 - 1;

const FIELDS: readonly (readonly [name: string, field: RobotsField])[] = [
  ['user-agent', 'agent'],
  ['useragent', 'agent'],
  ['user agent', 'agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
  ['crawl-delay', 'crawl_delay'],
  ['crawldelay', 'crawl_delay'],
  ['crawl delay', 'crawl_delay'],
];
const LONGEST_NAME = 'crawl-delay'.length;

/** Walks over the lines that have a field with a meaning here. `text` holds one byte per character. */
export class RobotsLines {
  readonly #text: string;
  readonly #lineFeeds: Occurrences;
  readonly #carriageReturns: Occurrences;
  readonly #colons: Occurrences;
  readonly #hashes: Occurrences;
  // The names that occurred: a file says `Disallow` a thousand times in one spelling.
  readonly #fields = new Map<string, RobotsField>();
  #start = 0;

  /** Of the line last read. */
  field: RobotsField = 'agent';
  /** Where its value begins and ends: comment and blanks around it left out; may be empty. */
  from = 0;
  to = 0;
  /** Counted from 1. */
  number = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lineFeeds = new Occurrences(text, '\n');
    this.#carriageReturns = new Occurrences(text, '\r');
    this.#colons = new Occurrences(text, ':');
    this.#hashes = new Occurrences(text, '#');
  }

  /** Reads on to the next such line; false at the end of the text. */
  next(): boolean {
    while (this.#start < this.#text.length) {
      const start = this.#start;
      const lineFeed = this.#lineFeeds.from(start);
      const end = Math.min(lineFeed, this.#carriageReturns.from(start));
      this.#start = lineFeed === end + 1 ? end + 2 : end + 1;
      this.number++;
      const contentEnd = Math.min(end, this.#hashes.from(start), start + MAX_LINE_BYTES);
      if (start < contentEnd && this.#read(start, contentEnd)) return true;
    }
    return false;
  }

  #read(start: number, end: number): boolean {
    const text = this.#text;
    const colon = this.#colons.from(start);
    const separator = colon < end ? colon : onlyGap(text, start, end);
    if (separator === -1) return false;
    const field = this.#fieldNamed(text.slice(start, separator));
    if (field === undefined) return false;
    this.field = field;
    this.to = skipBlanksBack(text, separator + 1, end);
    this.from = skipBlanks(text, separator + 1, this.to);
    return true;
  }

  #fieldNamed(name: string): RobotsField | undefined {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const from = skipBlanks(name, 0, name.length);
    const start = name.slice(from, from + LONGEST_NAME).toLowerCase();
    const field = FIELDS.find(([prefix]) => start.startsWith(prefix))?.[1];
    if (field !== undefined) this.#fields.set(name, field);
    return field;
  }
}

/** Where a character occurs, asked from left to right: each stretch of the text is searched once. */
class Occurrences {
  readonly #text: string;
  readonly #char: string;
  #next = -1;

  constructor(text: string, char: string) {
    this.#text = text;
    this.#char = char;
  }

  /** The first occurrence at or after `at`, which never goes back; the text's length when there is none. */
  from(at: number): number {
    if (this.#next < at) {
      const found = this.#text.indexOf(this.#char, at);
      this.#next = found === -1 ? this.#text.length : found;
    }
    return this.#next;
  }
}

/** The first blank between two words, when there are exactly two; else -1. */
function onlyGap(text: string, start: number, end: number): number {
  const to = skipBlanksBack(text, start, end);
  let gap = skipBlanks(text, start, to);
  while (gap < to && !isBlank(text.charCodeAt(gap))) gap++;
  if (gap === to) return -1;
  for (let at = skipBlanks(text, gap, to); at < to; at++) {
    if (isBlank(text.charCodeAt(at))) return -1;
  }
  return gap;
}

function skipBlanks(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function skipBlanksBack(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && isBlank(text.charCodeAt(at - 1))) at--;
  return at;
}

// ASCII white space only: one character is one byte here, and 0xA0 is the end of many UTF-8 letters.
function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

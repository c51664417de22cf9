// The text of one robots.txt, a character for each byte, made easy to search: its lines end in LF (CR may stand before it) and
// none is longer than the reference parser reads. A value is known by the place where it begins.

import { Upcoming } from './upcoming.ts';

/** As in the reference parser: the rest of a longer line is dropped. */
const MAX_LINE_BYTES = 2083 * 8 - 1;
const LF = 0x0a;
const CR = 0x0d;
const DECIMAL = /\d+(?:\.\d*)?/y;

export class RobotsText {
  readonly text: string;
  #bytes: Uint8Array | undefined;
  readonly #comment: Upcoming;

  constructor(bytes: Buffer) {
    const text = cutLongLines(withLineFeeds(bytes));
    this.text = text;
    this.#comment = new Upcoming((from) => text.indexOf('#', from));
  }

  /** The text once more, for what looks at it character by character. */
  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.text, 'latin1');
    return this.#bytes;
  }

  /** Where the value ends that begins at `from`. It may be empty. */
  endOfValue(from: number): number {
    const { text } = this;
    let end = endOfLine(text, from);
    const comment = this.#comment.after(from);
    if (comment < end) end = comment;
    while (end > from && isBlank(text.charCodeAt(end - 1))) end--;
    return end;
  }

  /** The value that begins at `from`, as it was written. */
  value(from: number): string {
    return Buffer.from(this.text.slice(from, this.endOfValue(from)), 'latin1').toString();
  }

  /** The number that the value at `from` begins with: digits, and a fraction if there is one; NaN if it begins otherwise. */
  number(from: number): number {
    DECIMAL.lastIndex = from;
    return DECIMAL.test(this.text) ? Number(this.text.slice(from, DECIMAL.lastIndex)) : Number.NaN;
  }

  /** In which line `at` stands, counted from 1. */
  lineNumber(at: number): number {
    let number = 1;
    for (let end = endOfLine(this.text, 0); end < at; end = endOfLine(this.text, end + 1)) number++;
    return number;
  }
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** White space within a line, and the CR at its end. Not what is above ASCII: 0xA0 ends many letters in UTF-8. */
function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}

/** A lone CR ends a line too. They are written over in the bytes: a file may be nothing but them. */
function withLineFeeds(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  const first = text.search(/\r(?!\n)/);
  if (first === -1) return text;
  const copy = Buffer.from(bytes);
  for (let at = first; at < copy.length; at++) if (copy[at] === CR && copy[at + 1] !== LF) copy[at] = LF;
  return copy.toString('latin1');
}

/** A line that is too long holds a place that is a multiple of the limit, so that only these are looked at. */
function cutLongLines(text: string): string {
  let cut = '';
  let kept = 0;
  for (let at = 0; at < text.length; at += MAX_LINE_BYTES) {
    const start = text.lastIndexOf('\n', at) + 1;
    const end = endOfLine(text, at);
    if (end - start <= MAX_LINE_BYTES) continue;
    cut += text.slice(kept, start + MAX_LINE_BYTES);
    kept = end;
  }
  return cut + text.slice(kept);
}

// The text of one robots.txt, a character for each byte, made easy to search: its lines end in LF (CR may stand before it) and
// none is longer than the reference parser reads. A value is known by the place where it begins.

/** As in the reference parser: the rest of a longer line is dropped. */
export const MAX_LINE_BYTES = 2083 * 8 - 1;
const LF = 0x0a;
const CR = 0x0d;
export const ABOVE_ASCII = /[\x80-\xff]/;
/** Up to the comment or the end of the line, without the blanks before it. 0xA0 is none: it ends many letters in UTF-8. */
export const VALUE = '[^#\\n]*[^\\t\\v\\f \\r\\n#]';
const WHOLE_VALUE = new RegExp(`(?:${VALUE})?`, 'y');
const DECIMAL = /\+?(?:\d+(?:\.\d*)?|\.\d+)/y;

export class RobotsText {
  readonly text: string;
  #bytes: Uint8Array | undefined;

  constructor(bytes: Buffer) {
    this.text = cutLongLines(withLineFeeds(bytes));
  }

  /** The text once more, for what looks at it character by character. */
  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.text, 'latin1');
    return this.#bytes;
  }

  /** Where the value ends that begins at `from`. It may be empty. */
  endOfValue(from: number): number {
    WHOLE_VALUE.lastIndex = from;
    WHOLE_VALUE.test(this.text);
    return WHOLE_VALUE.lastIndex;
  }

  /** The value that begins at `from`, as it was written. */
  value(from: number): string {
    return asWritten(this.text.slice(from, this.endOfValue(from)));
  }

  /** The number that the value at `from` begins with: digits, a fraction, or both; NaN if it begins otherwise. */
  number(from: number): number {
    DECIMAL.lastIndex = from;
    return DECIMAL.test(this.text) ? Number(this.text.slice(from, DECIMAL.lastIndex)) : Number.NaN;
  }

  /** In which line `at` stands, counted from 1. */
  lineNumber(at: number): number {
    // In one call, for there may be tens of thousands before it.
    return (this.text.slice(0, at).match(/\n/g)?.length ?? 0) + 1;
  }
}

/** What a character for each byte stands for. */
export function asWritten(bytes: string): string {
  return ABOVE_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString() : bytes;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

/** A lone CR ends a line too. They are written over in the bytes: a file may be nothing but them. */
function withLineFeeds(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  const first = text.includes('\r') ? text.search(/\r(?!\n)/) : -1;
  if (first === -1) return text;
  const copy = Buffer.from(bytes);
  for (let at = first; at < copy.length; at++) if (copy[at] === CR && copy[at + 1] !== LF) copy[at] = LF;
  return copy.toString('latin1');
}

/** Looks at one place in as many bytes as a line may have: only where no line ends among them is there one that is too long. */
function cutLongLines(text: string): string {
  let cut = '';
  let kept = 0;
  for (let start = 0; start + MAX_LINE_BYTES < text.length; ) {
    const last = text.lastIndexOf('\n', start + MAX_LINE_BYTES);
    if (last >= start) {
      start = last + 1;
      continue;
    }
    const end = endOfLine(text, start + MAX_LINE_BYTES);
    cut += text.slice(kept, start + MAX_LINE_BYTES);
    kept = end;
    start = end + 1;
  }
  return cut + text.slice(kept);
}

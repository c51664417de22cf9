// A glance at rules, for a path comes near few of the sixty thousand that a file may hold. Up to its first star a rule must
// begin as the path does; behind it, every stretch between two stars must stand somewhere in the path, and none can end before
// the one ahead of it. That takes at most one step per byte of the rules, however long the path, and spares nearly all of them
// a search through it.

import type { Places } from './robots-field.ts';
import { Stretches } from './stretches.ts';

const STAR = 0x2a;
const DOLLAR = 0x24;
const PERCENT = 0x25;
const HASH = 0x23;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const OTHER_CASE = 0x20;
const LAST_ASCII = 0x7f;
const ESCAPE_LENGTH = '%C3'.length;
/** In place of a character of the path: no byte is like it. */
const UNLIKE = 0x100;
/** In place of a letter: whatever it may be, and none that the path has. */
const ANY = 0;
const NOWHERE = 0xff;

/** 1 for what may follow a rule's last byte: a blank, the end of the line, the start of a comment. */
const ENDS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === SPACE || (byte >= TAB && byte <= CR) || byte === HASH ? 1 : 0,
);

export class Glance {
  readonly #path: string;
  #codes: Uint16Array | undefined;
  #spelling: Spelling | undefined;
  #stretches: Stretches | undefined;

  /** `path` is written as rules are compared with it (`pathOfUrl`). */
  constructor(path: string) {
    this.#path = path;
  }

  /**
   * The first of the rules at `places`, looked at from `index` on, that may match the path and be longer than `length`;
   * `places.length` when none can.
   */
  // One loop without calls: a crawler asks before anything of its own is compiled, and there it is they that take time.
  next(bytes: Uint8Array, places: Places, index: number, length: number): number {
    this.#codes ??= codesOf(this.#path);
    const codes = this.#codes;
    for (let next = index; next < places.length; next++) {
      let at = places[next] ?? 0;
      let reached = 0;
      let byte = bytes[at] ?? LF;
      for (; ; byte = bytes[++at] ?? LF) {
        const wanted = codes[reached] ?? UNLIKE;
        // Letters that differ only in case may be the digits of an escape.
        if (byte === wanted || ((byte ^ wanted) === OTHER_CASE && byte !== HASH)) reached++;
        else if (byte > LAST_ASCII && wanted === PERCENT) reached += ESCAPE_LENGTH;
        else break;
      }
      if (ENDS[byte] === 1) {
        if (reached > length) return next;
      } else if (byte === STAR) {
        if (this.#lengthWithStar(bytes, at, reached) > length) return next;
      } else if (byte === DOLLAR) {
        // With the `$` itself it is longer by one.
        if (reached === this.#path.length && reached >= length) return next;
      }
    }
    return places.length;
  }

  /** How long a rule is at most, that has a star at `from` and before it `reached` letters of the path; 0 if it cannot match. */
  #lengthWithStar(bytes: Uint8Array, from: number, reached: number): number {
    this.#spelling ??= spell(this.#path);
    const { letterOf, letters } = this.#spelling;
    this.#stretches ??= new Stretches(this.#spelling.text, letters);
    const { next, firstEnd, lastEnd } = this.#stretches;
    let length = reached;
    // Where what was read so far ends in the path, at the earliest; and what was read of a stretch.
    let end = reached;
    let state = 0;
    let read = 0;
    for (let at = from; ; at++) {
      const byte = bytes[at] ?? LF;
      const letter = letterOf[byte] ?? ANY;
      if (letter === NOWHERE) return 0;
      if (letter !== ANY) {
        state = next[state * letters + letter] ?? 0;
        if (state === 0) return 0;
        read++;
        length++;
        continue;
      }
      if (read > 0) {
        end = Math.max(end + read, firstEnd[state] ?? 0);
        if ((lastEnd[state] ?? 0) < end) return 0;
        state = 0;
        read = 0;
      }
      if (byte === LF || byte === HASH) return length;
      length += byte > LAST_ASCII ? ESCAPE_LENGTH : 1;
    }
  }
}

/** The characters of the path, but for those that would mean something else in a rule, and one more behind the last. */
function codesOf(path: string): Uint16Array {
  const codes = new Uint16Array(path.length + 1).fill(UNLIKE);
  for (let at = 0; at < path.length; at++) {
    const code = path.charCodeAt(at);
    if (code !== STAR && code !== LF) codes[at] = code;
  }
  return codes;
}

/** What stands for each byte. Some share a sign, as those do that differ in case: a glance is not sharp. */
const SIGNS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === STAR || byte === DOLLAR || byte > LAST_ASCII || ENDS[byte] === 1
    ? ANY
    : (byte & 0x1f) | ((byte & 0x40) >> 1),
);

/** A path in letters, of which there are no more than it has: most have few, and the memory that is touched is what takes time. */
interface Spelling {
  readonly text: Uint8Array;
  /** How many there are. */
  readonly letters: number;
  /** By byte. */
  readonly letterOf: Uint8Array;
}

function spell(path: string): Spelling {
  const text = new Uint8Array(path.length);
  const letterOfSign = new Uint8Array(SIGNS.length).fill(NOWHERE);
  letterOfSign[ANY] = ANY;
  let letters = 1;
  for (let at = 0; at < path.length; at++) {
    const sign = SIGNS[path.charCodeAt(at)] ?? ANY;
    if (letterOfSign[sign] === NOWHERE) letterOfSign[sign] = letters++;
    text[at] = letterOfSign[sign] ?? ANY;
  }
  return { text, letters, letterOf: SIGNS.map((sign) => letterOfSign[sign] ?? ANY) };
}

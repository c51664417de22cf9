// Which lines of robots.txt are meant for an agent. RFC 9309 §2.2.1: those of every group that names it, taken together;
// those for `*` only where no group does. A group is a run of `User-agent` lines, with all that follows up to the next.

import { isBlank, LOWER_CASE } from './ascii.ts';
import type { LineTable, RobotsField } from './line-table.ts';

/** Lines that stand together, by their index: from `from`, before `to`. */
export interface Section {
  readonly from: number;
  readonly to: number;
}

/**
 * The sections for `agent`, in their order; none overlaps another. `ending` are the fields that end a run of
 * `User-agent` lines: one that comes later begins a new group.
 */
export function sectionsFor(
  agent: string,
  bytes: Uint8Array,
  lines: LineTable,
  ending: readonly RobotsField[],
): readonly Section[] {
  const name = Buffer.from(agent.toLowerCase());
  const named = new Sections();
  const everyone = new Sections();
  let previous = 0;
  for (const index of lines.agents) {
    if (hasOneOf(ending, lines, previous, index)) {
      named.close(index);
      everyone.close(index);
    }
    previous = index;
    const from = lines.from(index);
    if (isStar(bytes, from, lines.to(index))) everyone.open(index);
    else if (isName(bytes, from, name)) named.open(index);
  }
  named.close(lines.count);
  everyone.close(lines.count);
  return named.closed.length > 0 ? named.closed : everyone.closed;
}

/** Is there a line with one of `fields`, from `from` and before `to`? */
function hasOneOf(fields: readonly RobotsField[], lines: LineTable, from: number, to: number): boolean {
  for (let index = from; index < to; index++) if (fields.includes(lines.field(index))) return true;
  return false;
}

class Sections {
  readonly closed: Section[] = [];
  #from: number | undefined;

  open(index: number): void {
    this.#from ??= index;
  }

  close(index: number): void {
    if (this.#from !== undefined) this.closed.push({ from: this.#from, to: index });
    this.#from = undefined;
  }
}

const STAR = 0x2a;

/** `*` on its own, or with something behind a blank. */
function isStar(bytes: Uint8Array, from: number, to: number): boolean {
  return bytes[from] === STAR && (to === from + 1 || isBlank(bytes[from + 1] ?? 0));
}

/** Does the value begin with the product token `name`, in lower case? What follows (a version, a word) is no part of it. */
function isName(bytes: Uint8Array, from: number, name: Uint8Array): boolean {
  // Nothing that may end a value is part of a name either.
  if (isTokenByte(bytes[from + name.length] ?? 0)) return false;
  for (let index = 0; index < name.length; index++) {
    const byte = bytes[from + index] ?? 0;
    if (!isTokenByte(byte) || LOWER_CASE[byte] !== name[index]) return false;
  }
  return true;
}

// RFC 9309 §2.2.1: letters, `_` and `-`.
function isTokenByte(byte: number): boolean {
  const letter = LOWER_CASE[byte] ?? 0;
  return (letter >= 0x61 && letter <= 0x7a) || byte === 0x5f || byte === 0x2d;
}

// A glance at a rule, for a path comes near few of the forty thousand that a file may hold. Up to its first star a rule
// must begin as the path does; behind it, all that are neighbours in the rule must be neighbours somewhere in the path.
// That takes one step per byte of the rule, however long the path, and spares nearly all rules a search through it.

const STAR = 0x2a;
const DOLLAR = 0x24;
const PERCENT = 0x25;
const OTHER_CASE = 0x20;
const LAST_ASCII = 0x7f;
const ESCAPE_LENGTH = '%C3'.length;
/** In place of a neighbour: whatever it may be. */
const ANY = 0;

export class Glance {
  readonly #path: string;
  #neighbours: Uint8Array | undefined;

  /** `path` is written as rules are compared with it (`pathOfUrl`). */
  constructor(path: string) {
    this.#path = path;
  }

  /** True only when the rule that stands at `from`, before `to`, cannot match the path. */
  misses(bytes: Uint8Array, from: number, to: number): boolean {
    let reached = 0;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] ?? 0;
      const wanted = this.#path.charCodeAt(reached);
      if (byte === STAR) return this.#lacksNeighbours(bytes, at + 1, to);
      if (byte > LAST_ASCII) {
        if (wanted !== PERCENT) return true;
        reached += ESCAPE_LENGTH;
        continue;
      }
      // Letters that differ only in case may be the digits of an escape.
      if (byte !== wanted && (byte ^ wanted) !== OTHER_CASE) return byte !== DOLLAR || at < to - 1;
      reached++;
    }
    return false;
  }

  #lacksNeighbours(bytes: Uint8Array, from: number, to: number): boolean {
    this.#neighbours ??= neighboursIn(this.#path);
    const neighbours = this.#neighbours;
    let before = ANY;
    for (let at = from; at < to; at++) {
      const sign = SIGNS[bytes[at] ?? 0] ?? ANY;
      if (sign !== ANY && neighbours[(before << SIGN_BITS) | sign] === 0) return true;
      before = sign;
    }
    return false;
  }
}

/** What stands for each byte. Some share a sign, as letters do that differ in case: a glance is not sharp. */
const SIGNS = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte === STAR || byte === DOLLAR || byte > LAST_ASCII ? ANY : byte & ~OTHER_CASE,
);
const SIGN_BITS = 7;

/** For each two signs: do they stand next to each other in the path? With `ANY` before it: is it there at all? */
function neighboursIn(path: string): Uint8Array {
  const neighbours = new Uint8Array(1 << (2 * SIGN_BITS));
  let before = ANY;
  for (let at = 0; at < path.length; at++) {
    const sign = SIGNS[path.charCodeAt(at)] ?? ANY;
    neighbours[sign] = 1;
    neighbours[(before << SIGN_BITS) | sign] = 1;
    before = sign;
  }
  return neighbours;
}

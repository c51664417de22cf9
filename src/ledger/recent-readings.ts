// What the newest requests of a run are read as, by identity: most links of a site lead to the same pages, and finding them
// here costs a twentieth of finding them in SQLite. A table of fixed size with two places for all that share a slot: a
// newcomer takes the first, whoever had it moves to the second, and who had that is forgotten.
// One flat array on purpose: a map of as many objects costs the garbage collector more than it saves.

/** Slots; 40 bytes each. */
const SLOTS = 1 << 15;
const WORDS = 5;

export class RecentReadings {
  /** Each place: the identity in four words, then the reading. An identity of zeros is no identity: SHA-256 gives none. */
  readonly #words = new Uint32Array(SLOTS * 2 * WORDS);

  /** The reading of that identity, if it is remembered. */
  get(identity: Uint8Array): number | undefined {
    const first = firstPlaceOf(identity);
    if (this.#isAt(first, identity)) return this.#words[first + 4];
    return this.#isAt(first + WORDS, identity) ? this.#words[first + WORDS + 4] : undefined;
  }

  set(identity: Uint8Array, reading: number): void {
    const first = firstPlaceOf(identity);
    if (!this.#isAt(first, identity)) this.#words.copyWithin(first + WORDS, first, first + WORDS);
    for (let word = 0; word < 4; word++) this.#words[first + word] = wordOf(identity, word);
    this.#words[first + 4] = reading;
  }

  clear(): void {
    this.#words.fill(0);
  }

  #isAt(place: number, identity: Uint8Array): boolean {
    for (let word = 0; word < 4; word++) if (this.#words[place + word] !== wordOf(identity, word)) return false;
    return true;
  }
}

function firstPlaceOf(identity: Uint8Array): number {
  return (wordOf(identity, 0) & (SLOTS - 1)) * 2 * WORDS;
}

function wordOf(identity: Uint8Array, word: number): number {
  const at = word * 4;
  return (
    (byte(identity, at) |
      (byte(identity, at + 1) << 8) |
      (byte(identity, at + 2) << 16) |
      (byte(identity, at + 3) << 24)) >>>
    0
  );
}

function byte(identity: Uint8Array, at: number): number {
  return identity[at] ?? 0;
}

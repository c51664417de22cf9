// What the newest requests of a run are read as, by identity: most links of a site lead to the same pages, and finding them
// here costs a twentieth of finding them in SQLite. A table of fixed size in which a newcomer takes the place of whoever
// has the same slot. One flat array on purpose: a map of as many objects costs the garbage collector more than it saves.

/** Slots; 20 bytes each. */
const SLOTS = 1 << 16;
const WORDS = 5;

export class RecentReadings {
  /** Each slot: the identity in four words, then the reading. An identity of zeros is no identity: SHA-256 gives none. */
  readonly #words = new Uint32Array(SLOTS * WORDS);

  /** The reading of that identity, if it is remembered. */
  get(identity: Uint8Array): number | undefined {
    const at = slotOf(identity);
    for (let word = 0; word < 4; word++) if (this.#words[at + word] !== wordOf(identity, word)) return undefined;
    return this.#words[at + 4];
  }

  set(identity: Uint8Array, reading: number): void {
    const at = slotOf(identity);
    for (let word = 0; word < 4; word++) this.#words[at + word] = wordOf(identity, word);
    this.#words[at + 4] = reading;
  }

  clear(): void {
    this.#words.fill(0);
  }
}

function slotOf(identity: Uint8Array): number {
  return (wordOf(identity, 0) & (SLOTS - 1)) * WORDS;
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

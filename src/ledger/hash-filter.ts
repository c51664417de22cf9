// Which hashes are certainly not among those that were added: a Bloom filter. Nearly every body and every request of a run
// is new, and finding that out here costs a fiftieth of asking SQLite. It may say "perhaps" of one that is not there, never
// "no" of one that is; with more than a few million it says "perhaps" ever more often, and costs nothing but the asking.

/** 2^23 bits are one megabyte, and wrong about 2 of 100 when a million hashes are in it. */
const BITS = 2 ** 23;
const PROBES = 4;

export class HashFilter {
  readonly #bytes = new Uint8Array(BITS / 8);

  add(hash: Uint8Array): void {
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = bitOf(hash, probe);
      this.#bytes[bit >> 3] = (this.#bytes[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
  }

  mayHave(hash: Uint8Array): boolean {
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = bitOf(hash, probe);
      if (((this.#bytes[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

/** A hash is as good as random: each probe takes bits of its own. */
function bitOf(hash: Uint8Array, probe: number): number {
  const at = probe * 3;
  return ((hash[at] ?? 0) | ((hash[at + 1] ?? 0) << 8) | ((hash[at + 2] ?? 0) << 16)) % BITS;
}

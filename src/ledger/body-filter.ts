// Which bodies are certainly not archived yet: a Bloom filter over their hashes. Nearly every page of a run is new, and
// finding that out here costs a fiftieth of asking SQLite. It may say "perhaps" of a body that is not there, never "no" of
// one that is; with more than a few million bodies it says "perhaps" ever more often, and costs nothing but the asking.

/** 2^23 bits are one megabyte, and wrong about 2 of 100 when a million bodies are in it. */
const BITS = 2 ** 23;
const PROBES = 4;

export class BodyFilter {
  readonly #bytes = new Uint8Array(BITS / 8);

  add(sha256: Uint8Array): void {
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = bitOf(sha256, probe);
      this.#bytes[bit >> 3] = (this.#bytes[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
  }

  mayHave(sha256: Uint8Array): boolean {
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = bitOf(sha256, probe);
      if (((this.#bytes[bit >> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}

/** A hash is as good as random: each probe takes bits of its own. */
function bitOf(sha256: Uint8Array, probe: number): number {
  const at = probe * 3;
  return ((sha256[at] ?? 0) | ((sha256[at + 1] ?? 0) << 8) | ((sha256[at + 2] ?? 0) << 16)) % BITS;
}

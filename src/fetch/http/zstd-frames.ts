// Finds where frames of zstd end (RFC 8878 §3.1). A body may have several, and skippable ones among them; Node's decoder takes
// what follows the first for junk, unless it comes in a piece of its own. Nothing is checked here: a piece that is cut in a
// wrong place is one that the decoder refuses.

const FRAME = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
const RLE_BLOCK = 1;

/** A trip to the decoder for each frame: tiny ones without number would keep it busy for minutes. One for each KiB may be. */
const SPARE_FRAMES = 1024;
const LEAST_FRAME_BYTES = 1024;

/** What comes next. The first four are read as numbers, the others passed over. */
type Part = 'magic' | 'length' | 'descriptor' | 'block' | 'skipped' | 'header' | 'content' | 'checksum' | 'unknown';
const NUMBERS: ReadonlySet<Part> = new Set<Part>(['magic', 'length', 'descriptor', 'block']);

export class ZstdFrames {
  #part: Part = 'magic';
  /** How many bytes of the part have not come yet. */
  #left = 4;
  /** The part as a number, as far as it has come, lowest byte first, and what its next byte counts. */
  #value = 0;
  #weight = 1;
  #isLastBlock = false;
  #hasChecksum = false;
  #bytes = 0;
  #frames = 0;

  /** The next bytes, cut behind each end of a frame. Throws when there are far too many. */
  cut(chunk: Uint8Array): Uint8Array[] {
    const pieces: Uint8Array[] = [];
    let start = 0;
    let at = 0;
    this.#bytes += chunk.length;
    while (at < chunk.length) {
      const end = Math.min(chunk.length, at + this.#left);
      this.#take(chunk.subarray(at, end));
      at = end;
      while (this.#left === 0) {
        if (!this.#next()) continue;
        pieces.push(chunk.subarray(start, at));
        start = at;
        this.#count();
      }
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
    return pieces;
  }

  #take(bytes: Uint8Array): void {
    this.#left -= bytes.length;
    if (!NUMBERS.has(this.#part)) return;
    for (const byte of bytes) {
      this.#value += byte * this.#weight;
      this.#weight *= 256;
    }
  }

  /** Goes on to the next part. True when that was the end of a frame. */
  #next(): boolean {
    const value = this.#value;
    switch (this.#part) {
      case 'magic':
        if (value === FRAME) return this.#expect('descriptor', 1);
        return value - (value % 16) === SKIPPABLE ? this.#expect('length', 4) : this.#expect('unknown', Infinity);
      case 'length':
        return this.#expect('skipped', value);
      case 'descriptor':
        this.#hasChecksum = (value & 0x04) !== 0;
        return this.#expect('header', headerBytes(value));
      case 'header':
        return this.#expect('block', 3);
      case 'block':
        this.#isLastBlock = (value & 1) === 1;
        return this.#expect('content', ((value >> 1) & 3) === RLE_BLOCK ? 1 : value >> 3);
      case 'content':
        if (!this.#isLastBlock) return this.#expect('block', 3);
        return this.#expect('checksum', this.#hasChecksum ? 4 : 0);
      case 'skipped':
      case 'checksum':
        return !this.#expect('magic', 4);
      case 'unknown':
        return false;
    }
  }

  #expect(part: Part, bytes: number): false {
    this.#part = part;
    this.#left = bytes;
    this.#value = 0;
    this.#weight = 1;
    return false;
  }

  #count(): void {
    this.#frames += 1;
    if (this.#frames > SPARE_FRAMES + this.#bytes / LEAST_FRAME_BYTES) throw new Error('too many frames of zstd');
  }
}

/** RFC 8878 §3.1.1.1: what follows the descriptor of a frame, up to its first block. */
function headerBytes(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const windowBytes = isSingleSegment ? 0 : 1;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return windowBytes + dictionaryBytes + sizeBytes;
}

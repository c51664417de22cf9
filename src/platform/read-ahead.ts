// Files that are read in small pieces, each near the one before: a whole block is read at once, and the last few are kept. For
// files that only grow; what was added since a block was read is read anew.

import type { Files, OpenFile } from './files.ts';

const BLOCK_BYTES = 128 * 1024;
/** Of one file. */
const MOST_BLOCKS = 4;

/** Files that are opened to be read are read in blocks. Up to half a megabyte is kept for each that is open. */
export function readAhead(files: Pick<Files, 'open'>): Pick<Files, 'open'> {
  return {
    open: async (path, mode) => {
      const file = await files.open(path, mode);
      return mode === 'read' ? new BlockFile(file) : file;
    },
  };
}

class BlockFile implements OpenFile {
  readonly #file: OpenFile;
  /** By their number, the one that was read last at the end. */
  readonly #blocks = new Map<number, Promise<Buffer>>();
  readonly write: OpenFile['write'];
  readonly truncate: OpenFile['truncate'];
  readonly sync: OpenFile['sync'];
  readonly close: OpenFile['close'];

  constructor(file: OpenFile) {
    this.#file = file;
    this.write = (...args) => file.write(...args);
    this.truncate = (...args) => file.truncate(...args);
    this.sync = () => file.sync();
    this.close = () => file.close();
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    const number = Math.floor(position / BLOCK_BYTES);
    const from = position - number * BLOCK_BYTES;
    // What reaches over the end of a block is rare, and read as it is.
    if (from + target.length > BLOCK_BYTES) return this.#file.read(target, position);
    const block = await this.#block(number);
    if (from + target.length > block.length) {
      this.#blocks.delete(number);
      return this.#file.read(target, position);
    }
    target.set(block.subarray(from, from + target.length));
    return target.length;
  }

  #block(number: number): Promise<Buffer> {
    const known = this.#blocks.get(number);
    if (known !== undefined) return known;
    const block = this.#readBlock(number);
    this.#blocks.set(number, block);
    block.catch(() => this.#blocks.delete(number));
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > MOST_BLOCKS && oldest !== undefined) this.#blocks.delete(oldest);
    return block;
  }

  async #readBlock(number: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    return buffer.subarray(0, await this.#file.read(buffer, number * BLOCK_BYTES));
  }
}

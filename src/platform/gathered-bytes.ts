// A large body that comes in pieces, gathered in one place. The memory of the pieces is given back at once: left to the
// garbage collector, which hardly sees bytes outside of its heap, a body would be in memory several times.

import { isMarkedAsUntransferable } from 'node:worker_threads';

/** What is added at a time when there is no more room. */
const ROOM_BYTES = 2 ** 20;

export class GatheredBytes {
  // Grown in place: its pages come from the system and go back to it, where memory from malloc would stay with the process.
  readonly #buffer: ArrayBuffer;
  /** As long as the buffer, whenever that is grown. */
  readonly #bytes: Uint8Array;
  readonly #last = new LastPiece();
  #length = 0;

  /** For at most so many bytes. As long as there are fewer, they take no more memory than they need. */
  constructor(mostBytes: number) {
    this.#buffer = new ArrayBuffer(0, { maxByteLength: mostBytes });
    this.#bytes = new Uint8Array(this.#buffer);
  }

  get length(): number {
    return this.#length;
  }

  /** Takes over a piece. With the next one that is no view of the same buffer, that buffer is freed. */
  push(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#buffer.byteLength) {
      this.#buffer.resize(Math.min(this.#buffer.maxByteLength, Math.ceil(length / ROOM_BYTES) * ROOM_BYTES));
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
    this.#last.become(piece);
  }

  /** All of it. Nothing can be pushed afterwards. */
  take(): Uint8Array {
    return Buffer.from(this.#buffer, 0, this.#length);
  }

  /** It is not wanted any more. */
  free(): void {
    this.#buffer.transfer(0);
  }
}

/** The latest of several pieces that nobody else uses. Those before it are freed. */
export class LastPiece {
  #piece: Uint8Array | undefined;

  become(piece: Uint8Array): void {
    // Pieces that came together are views of one buffer, and whoever made the latest may still be at work behind it.
    if (this.#piece !== undefined && this.#piece.buffer !== piece.buffer) freeBytes(this.#piece);
    this.#piece = piece;
  }
}

/** Frees bytes that nobody else uses, with the whole buffer that holds them. They are empty afterwards. */
export function freeBytes({ buffer }: Uint8Array): void {
  // Node's pool, of which small buffers are made, is everybody's, and marked.
  if (!(buffer instanceof ArrayBuffer) || isMarkedAsUntransferable(buffer)) return;
  // ECMAScript 2024 §25.1.3.14: the memory goes with it, and of a length of 0 nothing is kept.
  buffer.transfer(0);
}

// The way of a streamed body to its sink: as it is, or through decoders. The sink gets one chunk at a time, in order, and
// the wire is paused while the sink is behind. What fails is told at once, and nothing is written after it.

import { Readable } from 'node:stream';
import { decodeStream } from './content-coding.ts';
import type { ContentCoding } from './decoder.ts';

/** The wire's tap. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** Takes the bytes as they should be. What it rejects with ends the passage, as it is. */
export type Write = (chunk: Uint8Array) => Promise<void>;

export interface Passage {
  push(chunk: Buffer): void;
  /** No more will come: resolves when all is written. Rejects with what was told as a failure. */
  finish(): Promise<void>;
  /** The rest is not wanted: at most the chunk that is being written is still written. */
  cancel(): void;
}

const MOST_HELD_BYTES = 65_536;

/**
 * For a body without codings. A stream of Node's would do the same, but what it makes for each (`stream.finished` above all)
 * stays until the next full garbage collection, and with thousands of files that is what fills the memory.
 */
export class PlainPassage implements Passage {
  readonly #write: Write;
  readonly #flow: Flow;
  readonly #onFailure: (error: unknown) => void;
  #written: Promise<void> = Promise.resolve();
  #heldBytes = 0;
  #isPaused = false;
  #isOver = false;

  constructor(write: Write, flow: Flow, onFailure: (error: unknown) => void) {
    this.#write = write;
    this.#flow = flow;
    this.#onFailure = onFailure;
  }

  push(chunk: Buffer): void {
    this.#heldBytes += chunk.length;
    if (!this.#isPaused && this.#heldBytes >= MOST_HELD_BYTES) {
      this.#isPaused = true;
      this.#flow.pause();
    }
    this.#written = this.#written.then(() => this.#pass(chunk));
    // It has been told, and whoever finishes hears it again.
    this.#written.catch(() => {});
  }

  finish(): Promise<void> {
    return this.#written;
  }

  cancel(): void {
    this.#isOver = true;
  }

  async #pass(chunk: Buffer): Promise<void> {
    if (this.#isOver) return;
    try {
      await this.#write(chunk);
    } catch (error) {
      this.#isOver = true;
      this.#onFailure(error);
      throw error;
    }
    this.#heldBytes -= chunk.length;
    if (!this.#isPaused || this.#heldBytes >= MOST_HELD_BYTES) return;
    this.#isPaused = false;
    this.#flow.resume();
  }
}

/** For a body with codings, the outermost first. */
export class DecodingPassage implements Passage {
  readonly #codings: readonly ContentCoding[];
  readonly #maxDecodedBytes: number;
  readonly #write: Write;
  readonly #flow: Flow;
  readonly #source: Readable;
  readonly #written: Promise<void>;
  #isOver = false;

  constructor(
    codings: readonly ContentCoding[],
    maxDecodedBytes: number,
    write: Write,
    flow: Flow,
    onFailure: (error: unknown) => void,
  ) {
    this.#codings = codings;
    this.#maxDecodedBytes = maxDecodedBytes;
    this.#write = write;
    this.#flow = flow;
    this.#source = new Readable({ read: () => flow.resume() });
    this.#written = this.#pass();
    this.#written.catch(onFailure);
  }

  push(chunk: Buffer): void {
    if (!this.#source.push(chunk)) this.#flow.pause();
  }

  finish(): Promise<void> {
    this.#source.push(null);
    return this.#written;
  }

  cancel(): void {
    this.#isOver = true;
    this.#source.destroy();
  }

  async #pass(): Promise<void> {
    try {
      for await (const chunk of decodeStream(this.#source, this.#codings, this.#maxDecodedBytes)) {
        if (this.#isOver) return;
        await this.#write(chunk);
      }
    } finally {
      this.#source.destroy();
    }
  }
}

// Where a body goes while it arrives: into memory under a cap, or decoded into a sink at the sink's own pace.

import { DecodingPassage, type Flow, type Passage, PlainPassage } from './body-passage.ts';
import { type ContentCoding, decodeBody, tooLarge } from './content-coding.ts';
import type { BodySink, HopBody } from './hop-result.ts';

export interface BodyReceiver {
  /** Takes the next bytes off the wire. They are not used by anyone else afterwards. */
  push(chunk: Buffer): void;
  /** The wire is done: the body, decoded. Rejects with a `HopError`, or with the sink's own error. */
  finish(): Promise<HopBody>;
  /** The rest will not come. */
  cancel(): void;
}

const EMPTY = new Uint8Array(0);
const CHUNKS_PER_BLOCK = 1024;

/** Holds the body. The caller counts what it pushes; the decoded size is held to `maxDecodedBytes` here. */
export class MemoryBody implements BodyReceiver {
  readonly #codings: readonly ContentCoding[];
  readonly #maxDecodedBytes: number;
  readonly #blocks: Buffer[] = [];
  readonly #chunks: Buffer[] = [];

  constructor(codings: readonly ContentCoding[], maxDecodedBytes: number) {
    this.#codings = codings;
    this.#maxDecodedBytes = maxDecodedBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    // A body in chunks of one byte would cost a hundred times its size, a Buffer for each.
    if (this.#chunks.length >= CHUNKS_PER_BLOCK) this.#blocks.push(Buffer.concat(this.#chunks.splice(0)));
  }

  async finish(): Promise<HopBody> {
    const parts = [...this.#blocks.splice(0), ...this.#chunks.splice(0)];
    const encoded = parts.length > 1 ? Buffer.concat(parts) : (parts[0] ?? EMPTY);
    if (this.#codings.length === 0) {
      if (encoded.length > this.#maxDecodedBytes) throw tooLarge(this.#maxDecodedBytes);
      return { kind: 'memory', encoded, decoded: encoded };
    }
    return { kind: 'memory', encoded, decoded: await decodeBody(encoded, this.#codings, this.#maxDecodedBytes) };
  }

  cancel(): void {
    this.#blocks.length = 0;
    this.#chunks.length = 0;
  }
}

/** Passes the body on. At most a few chunks are held at any moment. */
export class StreamedBody implements BodyReceiver {
  readonly #sink: BodySink;
  readonly #codings: readonly ContentCoding[];
  readonly #maxDecodedBytes: number;
  readonly #flow: Flow;
  readonly #onFailure: (error: unknown) => void;
  #passage: Passage | undefined;
  #encodedBytes = 0;
  #decodedBytes = 0;

  /** `onFailure` is told at once when decoding or the sink fails, so that the wire can be cut. */
  constructor(
    sink: BodySink,
    codings: readonly ContentCoding[],
    maxDecodedBytes: number,
    flow: Flow,
    onFailure: (error: unknown) => void,
  ) {
    this.#sink = sink;
    this.#codings = codings;
    this.#maxDecodedBytes = maxDecodedBytes;
    this.#flow = flow;
    this.#onFailure = onFailure;
  }

  push(chunk: Buffer): void {
    this.#passage ??= this.#passageFrom(chunk);
    this.#encodedBytes += chunk.length;
    this.#passage.push(chunk);
  }

  async finish(): Promise<HopBody> {
    await this.#passage?.finish();
    return { kind: 'streamed', encodedBytes: this.#encodedBytes, decodedBytes: this.#decodedBytes };
  }

  cancel(): void {
    this.#passage?.cancel();
  }

  #passageFrom(first: Buffer): Passage {
    const write = (chunk: Buffer) => this.#write(chunk);
    return this.#codings.length === 0
      ? new PlainPassage(write, this.#flow, this.#onFailure)
      : new DecodingPassage(this.#codings, first, this.#maxDecodedBytes, write, this.#flow, this.#onFailure);
  }

  async #write(chunk: Buffer): Promise<void> {
    this.#decodedBytes += chunk.length;
    if (this.#decodedBytes > this.#maxDecodedBytes) throw tooLarge(this.#maxDecodedBytes);
    await this.#sink.write(chunk);
  }
}

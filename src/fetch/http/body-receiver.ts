// Where a body goes while it arrives: into memory under a cap, or decoded into a sink at the sink's own pace.

import { GatheredBytes } from '../../platform/gathered-bytes.ts';
import { DecodingPassage, type Flow, type Passage, PlainPassage } from './body-passage.ts';
import { decodeBody, tooLarge } from './content-coding.ts';
import type { ContentCoding } from './decoder.ts';
import type { HopLimits } from './hop-options.ts';
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
/** A body in chunks of one byte would cost a hundred times its size, a Buffer for each, and one that is large twice its size. */
const MOST_CHUNKS = 1024;
const LARGE_BYTES = 2 ** 20;

/** Holds the body. The caller holds what it pushes to `maxEncodedBytes`; the decoded size is held to `maxDecodedBytes` here. */
export class MemoryBody implements BodyReceiver {
  readonly #codings: readonly ContentCoding[];
  readonly #limits: HopLimits;
  /** The latest of the body, as it came: all of it while it is small. */
  readonly #chunks: Buffer[] = [];
  #chunkBytes = 0;
  /** What came before that. */
  #gathered: GatheredBytes | undefined;

  constructor(codings: readonly ContentCoding[], limits: HopLimits) {
    this.#codings = codings;
    this.#limits = limits;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#chunkBytes += chunk.length;
    if (this.#chunkBytes >= LARGE_BYTES || this.#chunks.length >= MOST_CHUNKS) this.#gather();
  }

  async finish(): Promise<HopBody> {
    const encoded = this.#take();
    // From here on it is read in other threads: nobody frees it.
    this.#gathered = undefined;
    const { maxDecodedBytes } = this.#limits;
    if (this.#codings.length === 0) {
      if (encoded.length > maxDecodedBytes) throw tooLarge(maxDecodedBytes);
      return { kind: 'memory', encoded, decoded: encoded };
    }
    return { kind: 'memory', encoded, decoded: await decodeBody(encoded, this.#codings, maxDecodedBytes) };
  }

  cancel(): void {
    this.#chunks.length = 0;
    this.#gathered?.free();
  }

  #gather(): GatheredBytes {
    this.#gathered ??= new GatheredBytes(this.#limits.maxEncodedBytes);
    for (const chunk of this.#chunks.splice(0)) this.#gathered.push(chunk);
    this.#chunkBytes = 0;
    return this.#gathered;
  }

  #take(): Uint8Array {
    if (this.#gathered !== undefined) return this.#gather().take();
    const [only = EMPTY] = this.#chunks;
    return this.#chunks.length > 1 ? Buffer.concat(this.#chunks, this.#chunkBytes) : only;
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
    this.#passage ??= this.#newPassage();
    this.#encodedBytes += chunk.length;
    this.#passage.push(chunk);
  }

  async finish(): Promise<HopBody> {
    await this.#passage?.finish();
    return this.soFar;
  }

  /** What has come of the body. */
  get soFar(): HopBody {
    return { kind: 'streamed', encodedBytes: this.#encodedBytes, decodedBytes: this.#decodedBytes };
  }

  cancel(): void {
    this.#passage?.cancel();
  }

  #newPassage(): Passage {
    const write = (chunk: Uint8Array) => this.#write(chunk);
    return this.#codings.length === 0
      ? new PlainPassage(write, this.#flow, this.#onFailure)
      : new DecodingPassage(this.#codings, this.#maxDecodedBytes, write, this.#flow, this.#onFailure);
  }

  async #write(chunk: Uint8Array): Promise<void> {
    this.#decodedBytes += chunk.length;
    if (this.#decodedBytes > this.#maxDecodedBytes) throw tooLarge(this.#maxDecodedBytes);
    await this.#sink.write(chunk);
  }
}

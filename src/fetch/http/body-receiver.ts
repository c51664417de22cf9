// Where a body goes while it arrives: into memory under a cap, or decoded into a sink at the sink's own pace.

import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ContentCoding, codingFailure, decodeBody, decoderStream, tooLarge } from './content-coding.ts';
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

/** The wire's tap: a receiver closes it while its sink is busy. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** Passes the body on. At most a few chunks are held at any moment. */
export class StreamedBody implements BodyReceiver {
  readonly #sink: BodySink;
  readonly #codings: readonly ContentCoding[];
  readonly #maxDecodedBytes: number;
  readonly #onFailure: (error: unknown) => void;
  readonly #source: Readable;
  readonly #flow: Flow;
  #written: Promise<void> | undefined;
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
    this.#source = new Readable({ read: () => flow.resume() });
  }

  push(chunk: Buffer): void {
    this.#written ??= this.#passOn(chunk);
    this.#encodedBytes += chunk.length;
    if (!this.#source.push(chunk)) this.#flow.pause();
  }

  async finish(): Promise<HopBody> {
    this.#source.push(null);
    await this.#written;
    return { kind: 'streamed', encodedBytes: this.#encodedBytes, decodedBytes: this.#decodedBytes };
  }

  cancel(): void {
    this.#source.destroy();
  }

  #passOn(first: Buffer): Promise<void> {
    const decoders = this.#codings.map((coding, index) => decoderStream(coding, index === 0 ? first : undefined));
    const end = new Writable({ write: (chunk: Buffer, _encoding, done) => this.#write(chunk).then(done, done) });
    const written = pipeline([this.#source, ...decoders, end]).catch((error: unknown) => {
      throw error instanceof SinkFailure ? error.cause : codingFailure(error, this.#maxDecodedBytes);
    });
    written.catch(this.#onFailure);
    return written;
  }

  async #write(chunk: Buffer): Promise<undefined> {
    this.#decodedBytes += chunk.length;
    if (this.#decodedBytes > this.#maxDecodedBytes) throw tooLarge(this.#maxDecodedBytes);
    try {
      await this.#sink.write(chunk);
    } catch (error) {
      throw new SinkFailure('the sink failed', { cause: error });
    }
  }
}

/** Keeps the sink's error apart from those of the codings. */
class SinkFailure extends Error {
  override readonly name: string = 'SinkFailure';
}

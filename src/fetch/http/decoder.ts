// Takes one content coding off, at once or as the bytes come, with the same result: a body that does not end where its coding
// ends, early or late, is broken. Errors are zlib's own, or our words in its place.

import { on } from 'node:events';
import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { ZstdFrames } from './zstd-frames.ts';

export type ContentCoding = 'gzip' | 'br' | 'zstd' | 'deflate';

/** Decodes a small body in no time. Undefined when it has to be done bit by bit. */
export function decodeNow(bytes: Uint8Array, coding: ContentCoding, maxOutputLength: number): Uint8Array | undefined {
  switch (variantOf(coding, bytes)) {
    case 'gzip': {
      // The types of Node do not know what it answers to `info`.
      const { buffer, engine } = zlib.gunzipSync(bytes, { maxOutputLength, info: true }) as unknown as GunzipInfo;
      refuseJunk(bytes.subarray(engine.bytesWritten));
      return buffer;
    }
    case 'deflate':
      return zlib.inflateSync(bytes, { ...STRICT, maxOutputLength });
    case 'deflate-raw':
      return zlib.inflateRawSync(bytes, { ...STRICT, maxOutputLength });
    case 'br':
      return zlib.brotliDecompressSync(bytes, { ...STRICT, maxOutputLength });
    case 'zstd':
      if (new ZstdFrames().cut(bytes).length > 1) return undefined;
      return zlib.zstdDecompressSync(bytes, { ...ZSTD, maxOutputLength });
  }
}

/**
 * Decodes bytes as they come, in the thread pool, and no further than they are asked for. Nothing is nothing in every coding.
 * Pieces may be views of one buffer; when one of another buffer comes, the former is nobody's any more.
 */
export async function* decodePieces(
  source: AsyncIterable<Uint8Array>,
  coding: ContentCoding,
): AsyncGenerator<Buffer, void> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await firstBytes(chunks);
  if (first.length === 0) return;
  const engine = ENGINES[variantOf(coding, first)]();
  // Its reader hears of an error only until it has read the end, and `fed` may still fail behind that: it is awaited.
  engine.on('error', () => {});
  const fed = feed(engine, coding, first, chunks);
  fed.catch((error: Error) => engine.destroy(error));
  try {
    // Read as an iterable, a stream joins pieces in a buffer of its own while the engine goes on with theirs.
    const pieces = on(engine, 'data', { close: ['end'], highWaterMark: 1, lowWaterMark: 1 });
    for await (const [piece] of pieces) yield piece;
    await fed;
  } finally {
    engine.destroy();
  }
}

interface Engine extends Transform {
  /** How many bytes it has made use of. */
  readonly bytesWritten: number;
}

interface GunzipInfo {
  readonly buffer: Uint8Array;
  readonly engine: Engine;
}

// A gzip file may have several members (RFC 1952 §2.2), which this option takes for junk too: `refuseJunk` is in its place.
const STRICT = { rejectGarbageAfterEnd: true, chunkSize: 65_536 };
// RFC 9659: a window above 8 MiB must not be used in HTTP. It would let a tiny body claim 128 MiB of memory.
const ZSTD = { ...STRICT, params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } };
const GZIP = { chunkSize: 65_536 };

const ENGINES: Readonly<Record<ContentCoding | 'deflate-raw', () => Engine>> = {
  gzip: () => zlib.createGunzip(GZIP),
  deflate: () => zlib.createInflate(STRICT),
  'deflate-raw': () => zlib.createInflateRaw(STRICT),
  br: () => zlib.createBrotliDecompress(STRICT),
  zstd: () => zlib.createZstdDecompress(ZSTD),
};

async function feed(
  engine: Engine,
  coding: ContentCoding,
  first: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): Promise<void> {
  const frames = coding === 'zstd' ? new ZstdFrames() : undefined;
  let fedBytes = 0;
  let chunk: Uint8Array | undefined = first;
  // Behind a member of gzip, Node takes a zero for the end of all.
  let isOver = false;
  while (chunk !== undefined) {
    if (isOver) refuseJunk(chunk);
    for (const piece of isOver ? [] : (frames?.cut(chunk) ?? [chunk])) {
      await written(engine, piece);
      fedBytes += piece.length;
      const leftBytes = fedBytes - engine.bytesWritten;
      isOver = leftBytes > 0;
      refuseJunk(piece.subarray(piece.length - leftBytes));
    }
    const next = await rest.next();
    chunk = next.done ? undefined : next.value;
  }
  if (!isOver) engine.end();
}

function written(engine: Engine, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    engine.write(piece, (error) => (error ? reject(error) : resolve()));
  });
}

// RFC 1952 knows nothing but members. Zeros behind them, which tapes and blocks are filled up with, zlib's own tools pass over.
function refuseJunk(bytes: Uint8Array): void {
  if (bytes.some((byte) => byte !== 0)) throw new Error('there is something behind its end');
}

/** As much as it takes to see which variant of a coding it is, at least. */
async function firstBytes(chunks: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let bytes: Uint8Array = new Uint8Array();
  while (bytes.length < 2) {
    const next = await chunks.next();
    if (next.done) break;
    bytes = bytes.length === 0 ? next.value : Buffer.concat([bytes, next.value]);
  }
  return bytes;
}

// RFC 9110 §8.4.1.2: "deflate" is the zlib format, but some servers send it bare. The zlib header tells (RFC 1950 §2.2).
function variantOf(coding: ContentCoding, first: Uint8Array): ContentCoding | 'deflate-raw' {
  if (coding !== 'deflate') return coding;
  const [method = 0, flags = 0] = first;
  return (method & 0x0f) === 8 && ((method << 8) | flags) % 31 === 0 ? 'deflate' : 'deflate-raw';
}

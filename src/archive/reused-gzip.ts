// One gzip compressor for all records. `gzipSync` makes one for every call, and what it makes is freed by a full garbage
// collection only: in a fast run that was a fifth of the time and 80 MB of memory.
// Node has no public way to run a compressor more than once and at once. This is the way that npm itself takes (minizlib,
// under its tar), so Node keeps it open; where it is closed, `gzipSync` does the work.

import { constants, createGzip, type Gzip, gzipSync, type ZlibOptions } from 'node:zlib';

/** What Node keeps inside of a compressor; `reset` alone is public, but its type is not. */
interface Inside {
  _handle: { close(): void } | null;
  _processChunk(bytes: Uint8Array, flush: number): Buffer;
  reset(): void;
}

/** Gives a function that makes one gzip member of whatever it is given. Each member stands for itself. */
export function reusedGzip(options: ZlibOptions): (bytes: Uint8Array) => Buffer {
  const gzip = createGzip(options) as Gzip & Partial<Inside>;
  const handle = gzip._handle;
  if (typeof gzip._processChunk !== 'function' || typeof handle?.close !== 'function') {
    return (bytes) => gzipSync(bytes, options);
  }
  const inside = gzip as Gzip & Inside;
  // A synchronous run ends by closing the handle and letting go of it, and leaves a listener behind.
  handle.close = () => {};
  return (bytes) => {
    const compressed = inside._processChunk(bytes, constants.Z_FINISH);
    inside._handle = handle;
    inside.removeAllListeners('error');
    inside.reset();
    // A copy, because the next run writes to the same place.
    return Buffer.from(compressed);
  };
}

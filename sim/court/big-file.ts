// A file of any length that costs no memory: its bytes follow from their position.

import type { StreamedBody } from '../reply.ts';

const BLOCK = Buffer.from(Array.from({ length: 65_536 }, (_, index) => (index * 31 + (index >> 8)) & 0xff));

export function bigFile(length: number): StreamedBody {
  return { length, chunks: () => blocks(length) };
}

function* blocks(length: number): Generator<Buffer> {
  for (let left = length; left > 0; left -= BLOCK.length) yield BLOCK.subarray(0, left);
}

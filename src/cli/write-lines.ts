// Writes lines as fast as the reader takes them, never faster.

import { once } from 'node:events';
import type { Writable } from 'node:stream';

export async function writeLines(target: Writable, lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    if (!target.write(`${line}\n`)) await once(target, 'drain');
  }
}

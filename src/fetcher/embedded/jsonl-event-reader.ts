// The events of a file with one event per line. A last line without its end is not there yet.

import { type Files, systemFiles } from '../../platform/files.ts';
import { type EventReader, type ReadFrom, readEvent } from '../event-reader.ts';
import type { WebpageEvent } from '../webpage-event.ts';

const READ_BYTES = 1024 * 1024;

export class JsonlEventReader implements EventReader {
  readonly #path: string;
  readonly #from: ReadFrom;
  readonly #files: Files;
  #offset = 0;
  #isBegun = false;

  constructor(path: string, from: ReadFrom, files: Files = systemFiles) {
    this.#path = path;
    this.#from = from;
    this.#files = files;
  }

  async next(): Promise<readonly WebpageEvent[]> {
    const isFirst = !this.#isBegun;
    this.#isBegun = true;
    let events: readonly WebpageEvent[] = await this.#read();
    if (!isFirst || this.#from.kind === 'beginning') return events;
    // Of all there is, the last: held in memory no longer than needed.
    for (let kept = events; ; kept = [...kept, ...events].slice(-this.#from.count)) {
      events = await this.#read();
      if (events.length === 0) return kept.slice(-this.#from.count);
    }
  }

  async close(): Promise<void> {}

  async #read(): Promise<WebpageEvent[]> {
    const size = (await this.#files.sizeOf(this.#path)) ?? 0;
    if (size <= this.#offset) return [];
    const file = await this.#files.open(this.#path, 'read');
    try {
      const bytes = Buffer.alloc(Math.min(size - this.#offset, READ_BYTES));
      await file.read(bytes, this.#offset);
      const end = bytes.lastIndexOf(0x0a) + 1;
      this.#offset += end;
      return bytes.subarray(0, end).toString().split('\n').flatMap(readEvent);
    } finally {
      await file.close();
    }
  }
}

// The event log as a file with one event per line. Its position is its length. What is published is on the device. A line that a
// crash cut off is removed before the next one is written, so that every line is whole.

import { dirname } from 'node:path';
import { z } from 'zod';
import { type Files, makeLastingDirectory, type OpenFile, systemFiles, writeAll } from '../../platform/files.ts';
import type { EventLog, LogPosition, Refusal } from '../event-log.ts';
import type { WebpageEvent } from '../webpage-event.ts';

const READ_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
const WithId = z.object({ event_id: z.string() });

export class JsonlEventLog implements EventLog {
  readonly #path: string;
  readonly #files: Files;

  private constructor(path: string, files: Files) {
    this.#path = path;
    this.#files = files;
  }

  /** Makes the directory of the file if need be. */
  static async open(path: string, files: Files = systemFiles): Promise<JsonlEventLog> {
    await makeLastingDirectory(dirname(path), files);
    return new JsonlEventLog(path, files);
  }

  async check(): Promise<void> {}

  position(): Promise<LogPosition> {
    return this.#withFile(async (file) => `${await this.#endOfLastLine(file)}`);
  }

  idsSince(position: LogPosition): Promise<ReadonlySet<string>> {
    return this.#withFile(async (file) => {
      const start = Number(position);
      const bytes = Buffer.alloc(Math.max(0, (await this.#endOfLastLine(file)) - start));
      await file.read(bytes, start);
      const ids = new Set<string>();
      for (let at = 0; at < bytes.length; ) {
        const end = bytes.indexOf(NEWLINE, at) + 1;
        const id = idIn(bytes.toString('utf8', at, end));
        // A power cut can leave holes in what was not synced. None of it counts as published, and it is published again.
        if (id === undefined) {
          await file.truncate(start + at);
          break;
        }
        ids.add(id);
        at = end;
      }
      await file.sync();
      return ids;
    });
  }

  publish(events: readonly WebpageEvent[]): Promise<readonly Refusal[]> {
    return this.#withFile(async (file) => {
      const end = await this.#endOfLastLine(file);
      await file.truncate(end);
      await writeAll(file, Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join('')), end);
      await file.sync();
      if (end === 0) await this.#files.syncDirectory(dirname(this.#path));
      return [];
    });
  }

  async close(): Promise<void> {}

  /** Opened for each batch: another process may have written in between. */
  async #withFile<T>(use: (file: OpenFile) => Promise<T>): Promise<T> {
    const file = await this.#files.open(this.#path, 'write');
    try {
      return await use(file);
    } finally {
      await file.close();
    }
  }

  async #endOfLastLine(file: OpenFile): Promise<number> {
    let end = (await this.#files.sizeOf(this.#path)) ?? 0;
    while (end > 0) {
      const start = Math.max(0, end - READ_BYTES);
      const bytes = Buffer.alloc(end - start);
      await file.read(bytes, start);
      const newline = bytes.lastIndexOf(NEWLINE);
      if (newline !== -1) return start + newline + 1;
      end = start;
    }
    return 0;
  }
}

function idIn(line: string): string | undefined {
  try {
    return WithId.parse(JSON.parse(line)).event_id;
  } catch {
    return undefined;
  }
}

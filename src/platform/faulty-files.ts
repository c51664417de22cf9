// A disk that can be made to fail, in front of a real one. It fills up as real disks do: the write that no longer fits is
// short, and the next one fails with ENOSPC. For tests only.

import type { Files, OpenFile } from './files.ts';

export class FaultyFiles implements Files {
  readonly #inner: Files;
  /** Bytes that may still be written. Removing files does not give room back: the test says when there is room again. */
  room = Number.POSITIVE_INFINITY;
  /** No write takes more bytes than this. */
  longestWrite = Number.POSITIVE_INFINITY;
  /** Operations that fail with EIO as long as they are named here. */
  readonly broken = new Set<'sync' | 'truncate' | 'rename' | 'link'>();
  /** How many writes were asked for. */
  writes = 0;

  constructor(inner: Files) {
    this.#inner = inner;
  }

  async open(path: string, mode: 'read' | 'write'): Promise<OpenFile> {
    const file = await this.#inner.open(path, mode);
    return {
      write: async (bytes, position) => {
        this.writes += 1;
        const allowed = Math.min(bytes.length, this.longestWrite, this.room);
        if (allowed === 0 && bytes.length > 0) throw systemError('ENOSPC', 'no space left on device, write');
        this.room -= allowed;
        return file.write(bytes.subarray(0, allowed), position);
      },
      read: (target, position) => file.read(target, position),
      truncate: async (length) => {
        this.#check('truncate');
        await file.truncate(length);
      },
      sync: async () => {
        this.#check('sync');
        await file.sync();
      },
      close: () => file.close(),
    };
  }

  async rename(from: string, to: string): Promise<void> {
    this.#check('rename');
    await this.#inner.rename(from, to);
  }

  async link(existing: string, path: string): Promise<void> {
    this.#check('link');
    await this.#inner.link(existing, path);
  }

  async freeBytes(path: string): Promise<number> {
    return Math.min(this.room, await this.#inner.freeBytes(path));
  }

  list(directory: string): Promise<string[]> {
    return this.#inner.list(directory);
  }

  makeDirectory(directory: string): Promise<string | undefined> {
    return this.#inner.makeDirectory(directory);
  }

  remove(path: string): Promise<void> {
    return this.#inner.remove(path);
  }

  syncDirectory(directory: string): Promise<void> {
    return this.#inner.syncDirectory(directory);
  }

  sizeOf(path: string): Promise<number | undefined> {
    return this.#inner.sizeOf(path);
  }

  #check(operation: 'sync' | 'truncate' | 'rename' | 'link'): void {
    if (this.broken.has(operation)) throw systemError('EIO', `i/o error, ${operation}`);
  }
}

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

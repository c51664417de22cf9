// A disk that can be made to fail, in front of a real one. It fills up as real disks do: the write that no longer fits is
// short, and the next one fails with ENOSPC. For tests only.

import type { Files, OpenFile } from './files.ts';

/** What can be asked of a disk, and so can fail. */
export const FILE_OPERATIONS = [
  'open',
  'write',
  'read',
  'truncate',
  'sync',
  'close',
  'list',
  'makeDirectory',
  'rename',
  'link',
  'remove',
  'syncDirectory',
  'sizeOf',
  'freeBytes',
] as const;
export type FileOperation = (typeof FILE_OPERATIONS)[number];

/** One call that fails, the first being number 1. A `short` write takes half of what it is offered. */
export interface Fault {
  readonly operation: FileOperation;
  readonly call: number;
  readonly code: 'ENOSPC' | 'EIO' | 'EACCES' | 'short';
}

export class FaultyFiles implements Files {
  readonly #inner: Files;
  /** Bytes that may still be written. Removing files does not give room back: the test says when there is room again. */
  room = Number.POSITIVE_INFINITY;
  /** No write takes more bytes than this. */
  longestWrite = Number.POSITIVE_INFINITY;
  /** Operations that fail with EIO as long as they are named here. */
  readonly broken = new Set<FileOperation>();
  /** How many writes were asked for. */
  writes = 0;
  readonly #fault: Fault | undefined;
  #calls = 0;

  constructor(inner: Files, fault?: Fault) {
    this.#inner = inner;
    this.#fault = fault;
  }

  /** Whether the call that is to fail was made. */
  get isHit(): boolean {
    return this.#fault !== undefined && this.#calls >= this.#fault.call;
  }

  async open(path: string, mode: 'read' | 'write'): Promise<OpenFile> {
    this.#check('open');
    const file = await this.#inner.open(path, mode);
    return {
      write: async (bytes, position) => {
        this.writes += 1;
        const isShort = this.#check('write');
        const offered = isShort ? Math.ceil(bytes.length / 2) : bytes.length;
        const allowed = Math.min(offered, this.longestWrite, this.room);
        if (allowed === 0 && bytes.length > 0) throw systemError('ENOSPC', 'no space left on device, write');
        this.room -= allowed;
        return file.write(bytes.subarray(0, allowed), position);
      },
      read: async (target, position) => {
        this.#check('read');
        return file.read(target, position);
      },
      truncate: async (length) => {
        this.#check('truncate');
        await file.truncate(length);
      },
      sync: async () => {
        this.#check('sync');
        await file.sync();
      },
      close: async () => {
        // Linux has closed it also when it says that it could not write (close(2)).
        await file.close();
        this.#check('close');
      },
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
    this.#check('freeBytes');
    return Math.min(this.room, await this.#inner.freeBytes(path));
  }

  async list(directory: string): Promise<string[]> {
    this.#check('list');
    return this.#inner.list(directory);
  }

  async makeDirectory(directory: string): Promise<string | undefined> {
    this.#check('makeDirectory');
    return this.#inner.makeDirectory(directory);
  }

  async remove(path: string): Promise<void> {
    this.#check('remove');
    await this.#inner.remove(path);
  }

  async syncDirectory(directory: string): Promise<void> {
    this.#check('syncDirectory');
    await this.#inner.syncDirectory(directory);
  }

  async sizeOf(path: string): Promise<number | undefined> {
    this.#check('sizeOf');
    return this.#inner.sizeOf(path);
  }

  /** Throws if this call is to fail, and gives whether it is to be short. */
  #check(operation: FileOperation): boolean {
    if (this.broken.has(operation)) throw systemError('EIO', `i/o error, ${operation}`);
    if (operation !== this.#fault?.operation || ++this.#calls !== this.#fault.call) return false;
    if (this.#fault.code !== 'short') throw systemError(this.#fault.code, `made to fail, ${operation}`);
    return true;
  }
}

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}

// The door to the disk for everything that must survive a crash: the archive and the downloaded files.
// Thin on purpose: a write may be short and every error is the system's own, so that callers are tested against both.

import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { systemCodeOf } from './errors.ts';
import { PRIVATE_DIRECTORY, PRIVATE_FILE } from './make-directory.ts';

/** The code of the error for what lies in the place of a file: a directory, a pipe, a device. */
export const NOT_A_FILE = 'ENOTFILE';

/** A file that is open. Positions are explicit: there is no cursor to get out of step after a failed write. */
export interface OpenFile {
  /** Writes at `position` and gives the number of bytes written, which may be fewer than offered. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  /** Reads into `target` from `position` and gives the number of bytes read; fewer only at the end of the file. */
  read(target: Uint8Array, position: number): Promise<number>;
  /** Cuts the file to `length` bytes. */
  truncate(length: number): Promise<void>;
  /** Returns when the content is on the device. */
  sync(): Promise<void>;
  /** Waits for pending operations, then closes. */
  close(): Promise<void>;
}

export interface Files {
  /** `read`: the file must exist, and be one: what else lies there is refused, and not waited for. `write`: readable and writable, created if missing for its owner only, its content kept. */
  open(path: string, mode: 'read' | 'write'): Promise<OpenFile>;
  /** The names in a directory, in no particular order. */
  list(directory: string): Promise<string[]>;
  /** Makes the directory and its parents, and gives the uppermost that it made; one that exists is fine. */
  makeDirectory(directory: string): Promise<string | undefined>;
  /** Moves `from` over `to`, at once and whole. */
  rename(from: string, to: string): Promise<void>;
  /** Gives the file a second name. Not every file system can. */
  link(existing: string, path: string): Promise<void>;
  /** Removes a file; one that is missing is fine. */
  remove(path: string): Promise<void>;
  /** Returns when the names in the directory are on the device. */
  syncDirectory(directory: string): Promise<void>;
  /** The file's length in bytes, or undefined if there is none. What is no file, such as a directory, is refused. */
  sizeOf(path: string): Promise<number | undefined>;
  /** What an ordinary user may still write on the disk that holds `path`, in bytes. */
  freeBytes(path: string): Promise<number>;
}

/** Offers `bytes` again until all of them are written. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) done += await file.write(bytes.subarray(done), position + done);
}

/** Makes the directory and its parents. Returns when their names are on the device. */
export async function makeLastingDirectory(directory: string, files: Files): Promise<void> {
  const first = await files.makeDirectory(directory);
  if (first === undefined) return;
  const above = dirname(resolve(first));
  for (let at = dirname(resolve(directory)); at.length >= above.length; at = dirname(at)) {
    await files.syncDirectory(at);
    if (at === dirname(at)) return;
  }
}

/** The real disk. */
export const systemFiles: Files = {
  async open(path, mode) {
    if (mode === 'write')
      return new SystemFile(await fs.open(path, constants.O_RDWR | constants.O_CREAT, PRIVATE_FILE));
    // To open a pipe would else wait for who writes to it. Windows has neither.
    const handle = await fs.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      assertFile(path, await handle.stat());
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new SystemFile(handle);
  },
  list: (directory) => fs.readdir(directory),
  makeDirectory: (directory) => fs.mkdir(directory, { recursive: true, mode: PRIVATE_DIRECTORY }),
  rename: (from, to) => fs.rename(from, to),
  link: (existing, path) => fs.link(existing, path),
  remove: (path) => fs.rm(path, { force: true }),
  async syncDirectory(directory) {
    // Windows cannot open a directory, and needs no sync: NTFS journals its names.
    if (process.platform === 'win32') return;
    const handle = await fs.open(directory, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  async sizeOf(path) {
    try {
      const stats = await fs.stat(path);
      assertFile(path, stats);
      return stats.size;
    } catch (error) {
      if (systemCodeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  },
  async freeBytes(path) {
    const { bavail, bsize } = await fs.statfs(path);
    return bavail * bsize;
  },
};

function assertFile(path: string, stats: Stats): void {
  if (!stats.isFile()) throw Object.assign(new Error(`${path} is not a file`), { code: NOT_A_FILE });
}

class SystemFile implements OpenFile {
  readonly #handle: fs.FileHandle;

  constructor(handle: fs.FileHandle) {
    this.#handle = handle;
  }

  async write(bytes: Uint8Array, position: number): Promise<number> {
    return (await this.#handle.write(bytes, 0, bytes.length, position)).bytesWritten;
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    let done = 0;
    while (done < target.length) {
      const { bytesRead } = await this.#handle.read(target, done, target.length - done, position + done);
      if (bytesRead === 0) break;
      done += bytesRead;
    }
    return done;
  }

  truncate(length: number): Promise<void> {
    return this.#handle.truncate(length);
  }

  sync(): Promise<void> {
    return this.#handle.sync();
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

// A download in progress. It gets its name only when it is whole and on the device (fsync, rename, fsync of the directory),
// so a file that can be seen under its name is never partial.

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { CurlewError, ErrorCode, systemCodeOf } from '../platform/errors.ts';
import { type Files, type OpenFile, writeAll } from '../platform/files.ts';
import type { PayloadDigest } from './exchange.ts';
import { safeFileName } from './safe-file-name.ts';
import { storageError } from './storage-error.ts';

/** A file that is whole. */
export interface StoredFile extends PayloadDigest {
  /** Relative to the store's directory, with `/` between its parts. */
  readonly path: string;
}

/** A file while it is being downloaded. Ends with `commit` or `discard`; calls must not overlap. */
export class PendingFile {
  readonly #directory: string;
  readonly #partial: string;
  readonly #files: Files;
  readonly #sha256 = createHash('sha256');
  #file: OpenFile | undefined;
  #size = 0;

  /** Made by `FileStore.begin`. */
  constructor(directory: string, partial: string, file: OpenFile, files: Files) {
    this.#directory = directory;
    this.#partial = partial;
    this.#file = file;
    this.#files = files;
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#size;
  }

  /** Appends a part. After a failure (`disk_full`, `data_directory`) the file can only be discarded. */
  async write(chunk: Uint8Array): Promise<void> {
    const file = this.#pending();
    try {
      await writeAll(file, chunk, this.#size);
    } catch (error) {
      await this.#abandon();
      throw await storageError(error, this.#partial, this.#directory, this.#files);
    }
    this.#sha256.update(chunk);
    this.#size += chunk.length;
  }

  /**
   * Gives the file its name, made safe. On the device when this returns. If the same content is there under another name,
   * it gets this one too and the new copy is dropped. After a failure the file is gone.
   */
  async commit(remoteName: string): Promise<StoredFile> {
    const file = this.#pending();
    const sha256 = this.#sha256.digest('hex');
    const name = safeFileName(remoteName);
    const home = join(this.#directory, sha256.slice(0, 2), sha256);
    try {
      await file.sync();
      await this.#close();
      await this.#files.makeDirectory(home);
      await this.#moveTo(home, name);
      for (const directory of [home, dirname(home), this.#directory]) await this.#files.syncDirectory(directory);
    } catch (error) {
      await this.#abandon();
      throw await storageError(error, join(home, name), this.#directory, this.#files);
    }
    return { path: `${sha256.slice(0, 2)}/${sha256}/${name}`, sha256, size: this.#size };
  }

  /** Drops the file. Fine at any time, also twice; after `commit` it does nothing. */
  async discard(): Promise<void> {
    await this.#close();
    await this.#files.remove(this.#partial);
  }

  async #moveTo(home: string, name: string): Promise<void> {
    const twin = await this.#twinIn(home, name);
    if (twin === name) return this.discard();
    if (twin !== undefined) {
      try {
        await this.#files.link(join(home, twin), join(home, name));
        return await this.discard();
      } catch (error) {
        // A file system without links keeps a second copy.
        if (systemCodeOf(error) === undefined) throw error;
      }
    }
    await this.#files.rename(this.#partial, join(home, name));
  }

  /** A whole file with the same content, `name` if there is one of that name. */
  async #twinIn(home: string, name: string): Promise<string | undefined> {
    const names = await this.#files.list(home);
    for (const candidate of names.includes(name) ? [name, ...names] : names) {
      if ((await this.#files.sizeOf(join(home, candidate))) === this.#size) return candidate;
    }
    return undefined;
  }

  /** A partial file that cannot be removed now is removed at the next start. */
  async #abandon(): Promise<void> {
    await this.discard().catch(() => {});
  }

  #pending(): OpenFile {
    if (this.#file !== undefined) return this.#file;
    throw new CurlewError(ErrorCode.internal, `The pending file ${this.#partial} is already closed`);
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

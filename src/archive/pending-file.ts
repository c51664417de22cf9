// A download in progress. It gets its name only when it is whole and on the device (fsync, rename, fsync of the directory),
// so a file that can be seen under its name is never partial.

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { CurlewError, ErrorCode, systemCodeOf } from '../platform/errors.ts';
import { type Files, type OpenFile, writeAll } from '../platform/files.ts';
import { checkFile } from './check-file.ts';
import type { PayloadDigest } from './exchange.ts';
import { namedPlace, putInPlace } from './named-place.ts';
import type { RejectedFiles } from './rejected-files.ts';
import { safeFileName } from './safe-file-name.ts';
import { storageError } from './storage-error.ts';

const COPY_BYTES = 256 * 1024;

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
  readonly #rejected: RejectedFiles;
  readonly #sha256 = createHash('sha256');
  #file: OpenFile | undefined;
  #size = 0;

  /** Made by `FileStore.begin`. */
  constructor(directory: string, partial: string, file: OpenFile, files: Files, rejected: RejectedFiles) {
    this.#directory = directory;
    this.#partial = partial;
    this.#file = file;
    this.#files = files;
    this.#rejected = rejected;
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
   * it gets this one too and the new copy is dropped. What should have this content and is damaged is replaced. After a
   * failure the file is gone. With a `place` it goes there, or beside what is there, if that is a path that it can have.
   */
  async commit(remoteName: string, place?: string): Promise<StoredFile> {
    const file = this.#pending();
    const sha256 = this.#sha256.digest('hex');
    const named = place === undefined ? undefined : namedPlace(place);
    const name = safeFileName(remoteName);
    const home = join(this.#directory, sha256.slice(0, 2), sha256);
    try {
      await file.sync();
      await this.#close();
      const digest = { sha256, size: this.#size };
      const path = named && (await putInPlace(this.#partial, this.#directory, named, digest, this.#files));
      if (path !== undefined) return { path, ...digest };
      await this.#files.makeDirectory(home);
      await this.#moveTo(home, name, sha256);
      for (const directory of [home, dirname(home), this.#directory]) await this.#files.syncDirectory(directory);
    } catch (error) {
      await this.#abandon();
      throw await storageError(error, join(home, name), this.#directory, this.#files);
    }
    return { path: `${sha256.slice(0, 2)}/${sha256}/${name}`, sha256, size: this.#size };
  }

  /** The file was refused: it is kept apart, if it can be. Gives where, below the data directory. */
  async reject(remoteName: string): Promise<string | undefined> {
    await this.#close();
    const sha256 = this.#sha256.digest('hex');
    const path = await this.#rejected.take(this.#partial, sha256, this.#size, safeFileName(remoteName));
    return path && `files/${path}`;
  }

  /** Drops the file. Fine at any time, also twice; after `commit` it does nothing. */
  async discard(): Promise<void> {
    await this.#close();
    await this.#files.remove(this.#partial);
  }

  async #moveTo(home: string, name: string, sha256: string): Promise<void> {
    const { whole, damaged } = await this.#lookForTwin(home, name, sha256);
    if (whole === name) await this.discard();
    else if (whole === undefined || !(await this.#linkTo(join(home, whole), join(home, name)))) {
      await this.#files.rename(this.#partial, join(home, name));
    } else await this.discard();
    for (const other of damaged) if (other !== name) await this.#replace(join(home, other), join(home, name));
  }

  /**
   * A whole file with the same content, `name` if that is one, and those found on the way that should have this content and
   * have not: their bytes are read, since damage keeps the length. If one is damaged, all are looked at.
   */
  async #lookForTwin(
    home: string,
    name: string,
    sha256: string,
  ): Promise<{ readonly whole: string | undefined; readonly damaged: readonly string[] }> {
    const names = await this.#files.list(home);
    const damaged: string[] = [];
    let whole: string | undefined;
    for (const candidate of names.includes(name) ? [name, ...names.filter((one) => one !== name)] : names) {
      const state = await checkFile(join(home, candidate), { sha256, size: this.#size }, this.#files);
      if (state !== 'sound') damaged.push(candidate);
      else whole ??= candidate;
      if (whole !== undefined && damaged.length === 0) break;
    }
    return { whole, damaged };
  }

  /** Gives a file a second name, whatever had that name before. False on a file system without links. */
  async #linkTo(existing: string, path: string): Promise<boolean> {
    const link = `${this.#partial}-link`;
    try {
      await this.#files.remove(link);
      await this.#files.link(existing, link);
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return false;
    }
    await this.#files.rename(link, path);
    // If both are names of one file already, nothing was done, and both are there (rename(2)).
    await this.#files.remove(link);
    return true;
  }

  /** Puts the content of `whole` in the place of a damaged file. */
  async #replace(damaged: string, whole: string): Promise<void> {
    if (await this.#linkTo(whole, damaged)) return;
    const copy = `${this.#partial}-link`;
    const [from, to] = [await this.#files.open(whole, 'read'), await this.#files.open(copy, 'write')];
    try {
      const buffer = Buffer.allocUnsafe(COPY_BYTES);
      for (let position = 0; position < this.#size; ) {
        const length = await from.read(buffer, position);
        if (length === 0) break;
        await writeAll(to, buffer.subarray(0, length), position);
        position += length;
      }
      await to.sync();
    } finally {
      await from.close();
      await to.close();
    }
    await this.#files.rename(copy, damaged);
  }

  /** A partial file that cannot be removed now is removed at the next start. */
  async #abandon(): Promise<void> {
    await this.discard().catch(() => {});
    await this.#files.remove(`${this.#partial}-link`).catch(() => {});
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

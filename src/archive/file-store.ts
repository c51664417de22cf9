// Downloaded files, addressed by their content: `<first two digits>/<sha256>/<name>`. The same content and name always give
// the same path, and the same content is stored once. Those with a place of their own lie under `named/`, refused ones under
// `rejected/`. Partial files live apart, and do not outlive their process for long.

import { join, resolve, sep } from 'node:path';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { type Files, makeLastingDirectory, systemFiles } from '../platform/files.ts';
import { lookUpProcess, thisProcess } from '../platform/process-identity.ts';
import { PARTIAL } from './list-files.ts';
import { PendingFile } from './pending-file.ts';
import { RejectedFiles } from './rejected-files.ts';
import { storageError } from './storage-error.ts';

const READ_BYTES = 64 * 1024;
const OWNER = thisProcess();
let begun = 0;

export class FileStore {
  readonly #directory: string;
  readonly #files: Files;
  readonly #rejected: RejectedFiles;

  private constructor(directory: string, files: Files) {
    this.#directory = directory;
    this.#files = files;
    this.#rejected = new RejectedFiles(directory, files);
  }

  /** Makes the directory if need be and removes the partial files of processes that are dead. */
  static async open(directory: string, files: Files = systemFiles): Promise<FileStore> {
    const partial = join(directory, PARTIAL);
    try {
      await makeLastingDirectory(partial, files);
      for (const name of await files.list(partial)) {
        if (!isInUse(name)) await files.remove(join(partial, name));
      }
    } catch (error) {
      throw await storageError(error, directory, directory, files);
    }
    return new FileStore(directory, files);
  }

  /** Opens a new file to write to, which has no name yet. */
  async begin(): Promise<PendingFile> {
    const name = `${OWNER.pid}-${OWNER.began}-${++begun}`;
    const path = join(this.#directory, PARTIAL, name);
    try {
      const file = await this.#files.open(path, 'write');
      return new PendingFile(this.#directory, path, file, this.#files, this.#rejected);
    } catch (error) {
      throw await storageError(error, path, this.#directory, this.#files);
    }
  }

  /** The absolute path of a stored file. A path that leads out of the store is refused. */
  resolve(path: string): string {
    const absolute = resolve(this.#directory, path);
    if (absolute.startsWith(resolve(this.#directory) + sep)) return absolute;
    throw new CurlewError(
      ErrorCode.archiveDamaged,
      `The path of a stored file leads out of ${this.#directory}: ${path}`,
    );
  }

  /** The content of a stored file, in parts. Throws `archive_damaged` if it is not there. */
  async *read(path: string): AsyncGenerator<Uint8Array> {
    const absolute = this.resolve(path);
    const file = await this.#files.open(absolute, 'read').catch((cause: unknown) => {
      throw new CurlewError(ErrorCode.archiveDamaged, `Cannot open the downloaded file ${absolute}`, {
        remedy: 'Restore the file from a backup, or download it again.',
        cause,
      });
    });
    try {
      for (let position = 0; ; ) {
        const buffer = Buffer.allocUnsafe(READ_BYTES);
        const length = await file.read(buffer, position);
        if (length > 0) yield buffer.subarray(0, length);
        if (length < READ_BYTES) return;
        position += length;
      }
    } finally {
      await file.close();
    }
  }
}

/** Whether the process that made this partial file lives. The machine is not asked: a store is used by one at a time. */
function isInUse(name: string): boolean {
  const [pid, began = ''] = name.split('-');
  return lookUpProcess({ pid: Number(pid), began, machine: OWNER.machine }) === 'alive';
}

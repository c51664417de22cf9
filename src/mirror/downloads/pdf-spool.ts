// Files on their way from a server: written under no name, looked at as they go by, on the device when they are whole.
// What a run leaves here belongs to nobody: the next run of the source begins by removing it.

import { join } from 'node:path';
import { storageError } from '../../archive/storage-error.ts';
import type { FileSpool, SpooledFile } from '../../fetch/download.ts';
import { systemCodeOf } from '../../platform/errors.ts';
import { type Files, makeLastingDirectory, type OpenFile, systemFiles, writeAll } from '../../platform/files.ts';
import { type PdfInspection, PdfInspector } from '../pdf/pdf-inspector.ts';
import { DirectorySync } from './directory-sync.ts';

export class PdfSpool implements FileSpool {
  readonly #directory: string;
  readonly #files: Files;
  readonly #inspections = new Map<string, PdfInspection>();
  readonly #sync: DirectorySync;
  #begun = 0;

  private constructor(directory: string, files: Files) {
    this.#directory = directory;
    this.#files = files;
    this.#sync = new DirectorySync(files);
  }

  /** Makes the directory, or empties it. It must be the caller's alone. Throws `disk_full` or `data_directory`. */
  static async open(directory: string, files: Files = systemFiles): Promise<PdfSpool> {
    try {
      await makeLastingDirectory(directory, files);
      for (const name of await files.list(directory)) await files.remove(join(directory, name));
    } catch (error) {
      throw await storageError(error, directory, directory, files);
    }
    return new PdfSpool(directory, files);
  }

  async begin(): Promise<SpooledFile> {
    const path = join(this.#directory, `${++this.#begun}.pdf`);
    const toError = (error: unknown) => storageError(error, path, this.#directory, this.#files);
    const file = await this.#files.open(path, 'write').catch(async (error: unknown) => {
      throw await toError(error);
    });
    return new PendingPdf(path, file, this.#files, toError, (inspection) => this.#inspections.set(path, inspection));
  }

  /** What was seen of a file that was committed. */
  inspection(path: string): PdfInspection | undefined {
    return this.#inspections.get(path);
  }

  /** Moves a committed file to where it belongs, whole and on the device. Throws `disk_full` or `data_directory`. */
  async moveTo(path: string, directory: string, target: string): Promise<void> {
    this.#inspections.delete(path);
    try {
      await this.#rename(path, directory, target);
      await this.#sync.sync(directory);
    } catch (error) {
      await this.#files.remove(path).catch(() => {});
      throw await storageError(error, target, this.#directory, this.#files);
    }
  }

  /** The directory is made by the first file that goes there. */
  async #rename(path: string, directory: string, target: string): Promise<void> {
    try {
      await this.#files.rename(path, target);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') throw error;
      await makeLastingDirectory(directory, this.#files);
      await this.#files.rename(path, target);
    }
  }

  /** Removes a committed file. */
  async discard(path: string): Promise<void> {
    this.#inspections.delete(path);
    await this.#files.remove(path);
  }
}

class PendingPdf implements SpooledFile {
  readonly #path: string;
  readonly #files: Files;
  readonly #toError: (error: unknown) => Promise<Error>;
  readonly #onCommit: (inspection: PdfInspection) => void;
  readonly #inspector = new PdfInspector();
  #file: OpenFile | undefined;
  #size = 0;
  #committed = false;

  constructor(
    path: string,
    file: OpenFile,
    files: Files,
    toError: (error: unknown) => Promise<Error>,
    onCommit: (inspection: PdfInspection) => void,
  ) {
    this.#path = path;
    this.#file = file;
    this.#files = files;
    this.#toError = toError;
    this.#onCommit = onCommit;
  }

  async write(chunk: Uint8Array): Promise<void> {
    try {
      if (this.#file !== undefined) await writeAll(this.#file, chunk, this.#size);
    } catch (error) {
      await this.discard().catch(() => {});
      throw await this.#toError(error);
    }
    this.#inspector.take(chunk);
    this.#size += chunk.length;
  }

  async commit(): Promise<{ path: string; sha256: string; size: number }> {
    try {
      await this.#file?.sync();
      await this.#close();
    } catch (error) {
      await this.discard().catch(() => {});
      throw await this.#toError(error);
    }
    this.#committed = true;
    // That as much came as was announced, the transport has checked.
    const inspection = this.#inspector.end();
    this.#onCommit(inspection);
    return { path: this.#path, sha256: inspection.sha256, size: inspection.sizeBytes };
  }

  async discard(): Promise<void> {
    await this.#close();
    if (!this.#committed) await this.#files.remove(this.#path);
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

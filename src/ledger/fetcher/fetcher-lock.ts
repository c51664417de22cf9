// One fetcher at a time in a data directory, since its politeness is in its own memory. The lock is the system's own on a file,
// so that it ends with the process, however that ends.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { makeDirectory } from '../../platform/make-directory.ts';
import { docsPage } from '../../platform/version.ts';
import { isBusy, translate } from '../database.ts';

export class FetcherLock {
  readonly #file: DatabaseSync;

  private constructor(file: DatabaseSync) {
    this.#file = file;
  }

  /** Throws `run_owned` when another has it, and `data_directory` and `disk_full`. */
  static take(dataDirectory: string): FetcherLock {
    const path = join(dataDirectory, 'fetcher.lock');
    let file: DatabaseSync | undefined;
    try {
      makeDirectory(dataDirectory);
      file = new DatabaseSync(path, { timeout: 0 });
      file.exec('BEGIN EXCLUSIVE');
      return new FetcherLock(file);
    } catch (cause) {
      file?.close();
      if (!isBusy(cause)) throw translate(path, cause);
      throw new CurlewError(ErrorCode.runOwned, `Another fetcher works in ${dataDirectory}.`, {
        remedy: `Stop it, name another directory with --data, or let workers share a Redis: ${docsPage('fleet.md')}`,
        cause,
      });
    }
  }

  /** Twice is fine. */
  release(): void {
    if (this.#file.isOpen) this.#file.close();
  }
}

// One fetcher at a time in a data directory, since its politeness is in its own memory. The lock is the system's own on a file,
// so that it ends with the process, however that ends.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { makeDirectory } from '../../platform/make-directory.ts';

export class FetcherLock {
  readonly #file: DatabaseSync;

  private constructor(file: DatabaseSync) {
    this.#file = file;
  }

  /** Throws `run_owned` when another has it. */
  static take(dataDirectory: string): FetcherLock {
    makeDirectory(dataDirectory);
    const file = new DatabaseSync(join(dataDirectory, 'fetcher.lock'), { timeout: 0 });
    try {
      file.exec('BEGIN EXCLUSIVE');
    } catch (cause) {
      file.close();
      throw new CurlewError(ErrorCode.runOwned, `Another fetcher works in ${dataDirectory}.`, {
        remedy: 'Stop it, name another directory with --data, or let workers share a Redis: docs/fleet.md.',
        cause,
      });
    }
    return new FetcherLock(file);
  }

  /** Twice is fine. */
  release(): void {
    if (this.#file.isOpen) this.#file.close();
  }
}

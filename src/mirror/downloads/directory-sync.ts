// Brings the names in directories to the device, for many at once. Whoever asks waits for a sync that began after they
// asked, so nobody is promised more than is on the device; those who ask while one is under way share the next.

import type { Files } from '../../platform/files.ts';

interface Syncs {
  /** The one under way, or the last one. */
  current: Promise<void>;
  /** The one that begins after it. */
  next: Promise<void> | undefined;
}

export class DirectorySync {
  readonly #files: Pick<Files, 'syncDirectory'>;
  readonly #directories = new Map<string, Syncs>();

  constructor(files: Pick<Files, 'syncDirectory'>) {
    this.#files = files;
  }

  /** Resolves when every name that was in the directory at the time of the call is on the device. */
  sync(directory: string): Promise<void> {
    const syncs = this.#directories.get(directory) ?? { current: Promise.resolve(), next: undefined };
    this.#directories.set(directory, syncs);
    syncs.next ??= this.#after(syncs, directory);
    return syncs.next;
  }

  async #after(syncs: Syncs, directory: string): Promise<void> {
    // Whether that one failed is for those who waited for it.
    await syncs.current.catch(() => {});
    const begun = this.#files.syncDirectory(directory);
    syncs.current = begun;
    syncs.next = undefined;
    await begun;
  }
}

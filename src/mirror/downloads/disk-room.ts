// Whether there is room: an estimate before a run, and a look before each file.

import { join } from 'node:path';
import type { MirrorEvent } from '../../ledger/mirror/mirror-event.ts';
import { type Files, systemFiles, writeAll } from '../../platform/files.ts';
import { DownloadError } from '../download-error.ts';

/** What a judgment takes when none is held that could be measured. */
const USUAL_PDF_BYTES = 400 * 1024;
const MB = 2 ** 20;
const RESERVE_BYTES = MB / 2;

/** What files of the source there are, to judge by what the next ones will take. */
export interface HeldTotal {
  readonly files: number;
  readonly bytes: number;
}

export class DiskRoom {
  readonly #directory: string;
  readonly #minFreeBytes: number;
  readonly #files: Files;
  readonly #reserve: string;

  /** `spool` is a directory of the run's own. */
  constructor(directory: string, spool: string, minFreeMb: number, files: Files = systemFiles) {
    this.#directory = directory;
    this.#reserve = join(spool, 'reserve');
    this.#minFreeBytes = minFreeMb * MB;
    this.#files = files;
  }

  /** What to tell about the room for `planned` more files; a warning when it will hardly do. */
  async estimate(planned: number, held: HeldTotal): Promise<MirrorEvent> {
    const each = held.files === 0 ? USUAL_PDF_BYTES : held.bytes / held.files;
    const needed = Math.ceil(planned * each);
    const free = await this.#files.freeBytes(this.#directory);
    const isShort = free - needed < this.#minFreeBytes;
    const fields = { phase: 'disk', needed_bytes: needed, free_bytes: free, min_free_bytes: this.#minFreeBytes };
    return isShort
      ? { label: 'ERROR', fields: { ...fields, warning: 'the files may not fit on the disk' } }
      : { label: 'PLAN', fields };
  }

  /** Keeps some room aside, so that a full disk can still be told to the ledger. None when there is none. */
  async reserve(): Promise<void> {
    await this.#writeReserve().catch(() => this.release());
  }

  async #writeReserve(): Promise<void> {
    const file = await this.#files.open(this.#reserve, 'write');
    try {
      await writeAll(file, Buffer.alloc(RESERVE_BYTES), 0);
    } finally {
      await file.close();
    }
  }

  /** Gives the room back. Fine at any time: what cannot be removed now is removed by the next run. */
  async release(): Promise<void> {
    await this.#files.remove(this.#reserve).catch(() => {});
  }

  /** Throws `disk_full` when less is free than should be. */
  async require(): Promise<void> {
    const free = await this.#files.freeBytes(this.#directory);
    if (free >= this.#minFreeBytes) return;
    const [freeMb, minMb] = [free, this.#minFreeBytes].map((bytes) => Math.floor(bytes / MB));
    throw new DownloadError('disk_full', `${freeMb} MB are free, fewer than the ${minMb} MB to be kept`);
  }
}

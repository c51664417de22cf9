// What came for a case and is no whole PDF, kept for a person to look at: `quarantine/<source>/<token>.<hash8>.rejected`. No
// more than so many bytes in all: the oldest go first. What cannot be kept is removed: it is nobody's loss.

import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredCase } from '../../ledger/mirror/case-row.ts';
import { type Files, systemFiles } from '../../platform/files.ts';
import { type MirrorDirectory, pdfPathOf } from '../mirror-directory.ts';
import type { PdfInspection } from '../pdf/pdf-inspector.ts';
import type { PdfSpool } from './pdf-spool.ts';

export class Quarantine {
  readonly #directory: MirrorDirectory;
  readonly #mostBytes: number;
  readonly #files: Files;
  /** One at a time: each looks what there is. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(directory: MirrorDirectory, mostBytes: number, files: Files = systemFiles) {
    this.#directory = directory;
    this.#mostBytes = mostBytes;
    this.#files = files;
  }

  /** Takes a file of the spool. Gives its path under the data directory; undefined when it is not kept. */
  take(spool: PdfSpool, path: string, wanted: StoredCase, inspection: PdfInspection): Promise<string | undefined> {
    const taken = this.#last.then(() => this.#take(spool, path, wanted, inspection));
    this.#last = taken.catch(() => {});
    return taken;
  }

  async #take(
    spool: PdfSpool,
    path: string,
    wanted: StoredCase,
    { sizeBytes, sha256 }: PdfInspection,
  ): Promise<string | undefined> {
    if (sizeBytes === 0 || sizeBytes > this.#mostBytes) {
      await spool.discard(path);
      return undefined;
    }
    const name = pdfPathOf(wanted).replace(/\.pdf$/, `.${sha256.slice(0, 8)}.rejected`);
    const target = join(this.#directory.quarantine, name);
    try {
      await spool.moveTo(path, dirname(target), target);
      await this.#shrink(target);
    } catch {
      // A full disk, or no right to write there: the failure of the case says enough.
      return undefined;
    }
    return `quarantine/${name}`;
  }

  /** Removes the oldest, but not `newest`. */
  async #shrink(newest: string): Promise<void> {
    const entries = await readdir(this.#directory.quarantine, { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const files = await Promise.all(paths.map(async (path) => ({ path, ...sizeAndAge(await stat(path)) })));
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of files.sort((one, other) => one.at - other.at)) {
      if (total <= this.#mostBytes) return;
      if (path === newest) continue;
      await this.#files.remove(path);
      total -= size;
    }
  }
}

function sizeAndAge({ size, mtimeMs }: { readonly size: number; readonly mtimeMs: number }) {
  return { size, at: mtimeMs };
}

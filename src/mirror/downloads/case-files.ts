// From a signed address to the file of a case in its place: fetched, checked, told to the ledger, then given its name. The
// ledger knows the content before the file can be seen, so that a file found after a crash can be judged.

import { dirname, join } from 'node:path';
import type { StoredCase } from '../../ledger/mirror/case-row.ts';
import type { VerifiedFile } from '../../ledger/mirror/download-row.ts';
import type { Emit } from '../events/event-sink.ts';
import { type MirrorDirectory, pdfPathOf } from '../mirror-directory.ts';
import { verifiedEvent } from './adopt-file.ts';
import { fetchPdf, type PdfFetcherParts, type PdfRequest } from './fetch-pdf.ts';

/** Where the files of cases come from. */
export interface CaseFiles {
  /** Throws `DownloadError`, `disk_full` or `data_directory`; then nothing is to be seen under the file's name. */
  obtain(wanted: StoredCase, request: PdfRequest): Promise<VerifiedFile>;
}

export interface BoxFilesParts extends PdfFetcherParts {
  readonly directory: MirrorDirectory;
  readonly emit: Emit;
}

export class BoxFiles implements CaseFiles {
  readonly #parts: BoxFilesParts;

  constructor(parts: BoxFilesParts) {
    this.#parts = parts;
  }

  async obtain(wanted: StoredCase, request: PdfRequest): Promise<VerifiedFile> {
    const { spool, directory, emit } = this.#parts;
    const { path, inspection } = await fetchPdf(request, this.#parts);
    const filePath = pdfPathOf(wanted);
    const file = { filePath, sizeBytes: inspection.sizeBytes, sha256: inspection.sha256 };
    try {
      await emit(verifiedEvent(wanted, file));
    } catch (error) {
      await spool.discard(path);
      throw error;
    }
    const target = join(directory.pdfs, filePath);
    await spool.moveTo(path, dirname(target), target);
    return file;
  }
}

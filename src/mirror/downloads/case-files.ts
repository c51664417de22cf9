// From a signed address to the file of a case in its place: fetched, checked, told to the ledger, then given its name. The
// ledger knows the content before the file can be seen, so that a file found after a crash can be judged. A case that is
// held is asked for other bytes only; those become a version of their own, and no version is ever overwritten.

import { dirname, join } from 'node:path';
import type { HeldFile } from '../../ledger/mirror/case-file-table.ts';
import type { CaseId, StoredCase } from '../../ledger/mirror/case-row.ts';
import type { VerifiedFile } from '../../ledger/mirror/download-row.ts';
import type { Files } from '../../platform/files.ts';
import { DownloadError } from '../download-error.ts';
import type { Emit } from '../events/event-sink.ts';
import { compareFile } from '../held-files.ts';
import { type MirrorDirectory, pdfPathOf } from '../mirror-directory.ts';
import { inspectPdfFile, type PdfInspection } from '../pdf/pdf-inspector.ts';
import { verifiedEvent } from './adopt-file.ts';
import { type FetchedPdf, fetchPdf, type PdfFetcherParts, type PdfRequest } from './fetch-pdf.ts';
import { readValidators, validatorFields } from './file-validators.ts';
import type { Quarantine } from './quarantine.ts';

export interface ObtainedFile extends VerifiedFile {
  /** Whether it is what was held before. */
  readonly isUnchanged: boolean;
}

/** Where the files of cases come from. */
export interface CaseFiles {
  /** Throws `DownloadError`, `disk_full` or `data_directory`; then nothing is to be seen under the file's name. */
  obtain(wanted: StoredCase, request: PdfRequest): Promise<ObtainedFile>;
}

export interface BoxFilesParts extends PdfFetcherParts {
  readonly directory: MirrorDirectory;
  readonly files: Files;
  readonly emit: Emit;
  /** For what came and is no PDF. */
  readonly quarantine: Quarantine;
  /** The newest version of the case's file that the ledger knows. */
  readonly heldOf: (id: CaseId) => Promise<HeldFile | undefined>;
  /** Whether to ask for other bytes only where the file server can tell. Otherwise all bytes come, and are compared. */
  readonly asksForNewsOnly: boolean;
}

export class BoxFiles implements CaseFiles {
  readonly #parts: BoxFilesParts;

  constructor(parts: BoxFilesParts) {
    this.#parts = parts;
  }

  async obtain(wanted: StoredCase, request: PdfRequest): Promise<ObtainedFile> {
    const { directory, heldOf, asksForNewsOnly } = this.#parts;
    const held = await heldOf(wanted.id);
    const isWhole = held !== undefined && (await compareFile(directory.pdfs, held)) === 'sound';
    const validators = isWhole && asksForNewsOnly ? validatorFields(held) : {};
    const { spool, quarantine } = this.#parts;
    const reject = (path: string, inspection: PdfInspection) => quarantine.take(spool, path, wanted, inspection);
    const fetched = await fetchPdf({ ...request, validators, reject }, this.#parts);
    if (fetched.kind === 'fetched') return this.#keep(wanted, fetched, held, isWhole);
    // It answers so to validators only, and those are sent of what is held.
    if (held === undefined)
      throw new DownloadError('download_other', 'the file server says 304 of a file that is not held');
    return { ...held, isUnchanged: true };
  }

  async #keep(
    wanted: StoredCase,
    { path, inspection, responseHeaders }: FetchedPdf & { readonly kind: 'fetched' },
    held: HeldFile | undefined,
    isWhole: boolean,
  ): Promise<ObtainedFile> {
    const { spool, directory, emit } = this.#parts;
    const { sizeBytes, sha256 } = inspection;
    const said = readValidators(responseHeaders);
    const isSame = held?.sha256 === sha256;
    if (isSame && isWhole) {
      await spool.discard(path);
      return { ...held, ...said, isUnchanged: true };
    }
    const place = isSame ? held : await this.#placeOf(wanted, held, inspection);
    const { version, filePath } = place;
    const file: VerifiedFile = { version, filePath, sizeBytes, sha256, ...said };
    try {
      if (held !== undefined && !isSame) {
        const fields = { decision: 'amended', token_norm: wanted.actionTokenNorm, file_version: version };
        await emit({ label: 'DECISION', caseId: wanted.id, fields: { ...fields, old_sha256: held.sha256 } });
      }
      await emit(verifiedEvent(wanted, file));
    } catch (error) {
      await spool.discard(path);
      throw error;
    }
    const target = join(directory.pdfs, filePath);
    await spool.moveTo(path, dirname(target), target);
    return { ...file, isUnchanged: false };
  }

  /** The next version, under a name that nothing else has: what a run that was killed left there is kept as well. */
  async #placeOf(
    wanted: StoredCase,
    held: HeldFile | undefined,
    { sha256 }: PdfInspection,
  ): Promise<Pick<VerifiedFile, 'version' | 'filePath'>> {
    if (held === undefined) return { version: 1, filePath: pdfPathOf(wanted) };
    for (let version = held.version + 1; ; version++) {
      const filePath = pdfPathOf(wanted, version);
      const { files, directory } = this.#parts;
      const path = join(directory.pdfs, filePath);
      if ((await files.sizeOf(path)) === undefined) return { version, filePath };
      if ((await inspectPdfFile(path, files)).sha256 === sha256) return { version, filePath };
    }
  }
}

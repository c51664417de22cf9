// What the disk says about files that the ledger knows.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { checkFile, type FileState } from '../archive/check-file.ts';
import type { VerifiedFile } from '../ledger/mirror/download-row.ts';

/** A file of that length is in its place. */
export function isInPlace(pdfs: string, { filePath, sizeBytes }: VerifiedFile): boolean {
  const stat = statSync(join(pdfs, filePath), { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size === sizeBytes;
}

/** Reads the whole file. */
export function compareFile(pdfs: string, { filePath, sizeBytes: size, sha256 }: VerifiedFile): Promise<FileState> {
  return checkFile(join(pdfs, filePath), { sha256, size });
}

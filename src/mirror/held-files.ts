// What the disk says about files that the ledger knows.

import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { VerifiedFile } from '../ledger/mirror/download-row.ts';
import { systemCodeOf } from '../platform/errors.ts';
import { inspectPdfFile } from './pdf/pdf-inspector.ts';

/** A file of that length is in its place. */
export function isInPlace(pdfs: string, { filePath, sizeBytes }: VerifiedFile): boolean {
  const stat = statSync(join(pdfs, filePath), { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size === sizeBytes;
}

export type FileState = 'ok' | 'missing' | 'changed';

/** Reads the whole file. */
export async function compareFile(pdfs: string, { filePath, sha256 }: VerifiedFile): Promise<FileState> {
  try {
    return (await inspectPdfFile(join(pdfs, filePath))).sha256 === sha256 ? 'ok' : 'changed';
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    if (code === 'EISDIR') return 'changed';
    throw error;
  }
}

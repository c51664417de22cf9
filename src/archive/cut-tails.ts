// Bytes are written before the rows that refer to them, so after a crash a segment may hold more than the ledger knows,
// never less. What is behind the committed end is cut away; a file that is shorter has been damaged, and that is an error.

import { join } from 'node:path';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { type Files, systemFiles } from '../platform/files.ts';
import type { SegmentEnd } from './exchange.ts';
import { segmentName } from './segment-name.ts';
import { storageError } from './storage-error.ts';

/**
 * Makes each of these segments end where the ledger says, and removes those that hold nothing committed. Nobody may be
 * writing to them. Throws `archive_damaged` for one that is shorter or missing, before any later one is touched.
 */
export async function cutTails(
  directory: string,
  ends: readonly SegmentEnd[],
  files: Files = systemFiles,
): Promise<void> {
  for (const { segment, end } of ends) {
    const path = join(directory, segmentName(segment));
    try {
      await cutTail(path, end, files);
    } catch (error) {
      throw await storageError(error, path, directory, files);
    }
  }
}

async function cutTail(path: string, end: number, files: Files): Promise<void> {
  if (end === 0) return files.remove(path);
  const size = (await files.sizeOf(path)) ?? 0;
  if (size < end) {
    throw new CurlewError(
      ErrorCode.archiveDamaged,
      `${path} has ${size} bytes, but the ledger refers to ${end}: ${end - size} bytes are missing`,
      { remedy: 'Restore the file from a backup; the ledger and the archive belong together.' },
    );
  }
  if (size === end) return;
  const file = await files.open(path, 'write');
  try {
    await file.truncate(end);
  } finally {
    await file.close();
  }
}

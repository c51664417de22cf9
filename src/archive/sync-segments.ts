// Brings whole segments to the device, whoever has written them.

import { join } from 'node:path';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { type Files, systemFiles } from '../platform/files.ts';
import type { SegmentEnd } from './exchange.ts';
import { segmentName } from './segment-name.ts';
import { storageError } from './storage-error.ts';

/**
 * Returns when all that was written to these segments is on the device. Throws `disk_full` or `data_directory`, and
 * `archive_damaged` for one that is missing.
 */
export async function syncSegments(
  directory: string,
  segments: readonly Pick<SegmentEnd, 'segment'>[],
  files: Files = systemFiles,
): Promise<void> {
  for (const { segment } of segments) {
    const path = join(directory, segmentName(segment));
    try {
      // Opening one that is missing would make it.
      if ((await files.sizeOf(path)) === undefined) throw missing(path);
      const file = await files.open(path, 'write');
      try {
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      throw await storageError(error, path, directory, files);
    }
  }
}

function missing(path: string): CurlewError {
  return new CurlewError(ErrorCode.archiveDamaged, `${path} is missing, but the ledger refers to it`, {
    remedy: 'Restore the file from a backup; the ledger and the archive belong together.',
  });
}

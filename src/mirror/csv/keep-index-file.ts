// Keeps the bytes of a version under a name that says source, time and content. Whole on the device before it is named.

import { join } from 'node:path';
import { storageError } from '../../archive/storage-error.ts';
import { type Files, makeLastingDirectory, systemFiles, writeAll } from '../../platform/files.ts';

/** `<source>_<UTC time>_<hash8>.csv`. */
export function indexFileName(source: string, fetchedAt: string, sha256: string): string {
  const time = fetchedAt.replace(/\.\d+Z$/, 'Z').replace(/[-:]/g, '');
  return `${source}_${time}_${sha256.slice(0, 8)}.csv`;
}

/** Throws `disk_full` or `data_directory`. */
export async function keepIndexFile(
  directory: string,
  name: string,
  bytes: Uint8Array,
  files: Files = systemFiles,
): Promise<void> {
  const path = join(directory, name);
  const partial = join(directory, `.${name}.${process.pid}`);
  try {
    await makeLastingDirectory(directory, files);
    const file = await files.open(partial, 'write');
    try {
      await file.truncate(0);
      await writeAll(file, bytes, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await files.rename(partial, path);
    await files.syncDirectory(directory);
  } catch (error) {
    await files.remove(partial).catch(() => {});
    throw await storageError(error, path, directory, files);
  }
}

// Whether a stored file still is what was stored. Reads it in parts: memory does not grow with it.

import { createHash } from 'node:crypto';
import { systemCodeOf } from '../platform/errors.ts';
import { type Files, NOT_A_FILE, systemFiles } from '../platform/files.ts';

/** What a file was when it was stored. */
export interface FileDigest {
  /** Lower-case hex. */
  readonly sha256: string;
  /** In bytes; undefined when only the hash is known. */
  readonly size: number | undefined;
}

/**
 * `size`: longer or shorter than it was. `damaged`: as long as it was, with other bytes. `unreadable`: what lies there is no file,
 * or may not be read: its bytes may be what they were.
 */
export type FileState = 'sound' | 'missing' | 'size' | 'damaged' | 'unreadable';

const READ_BYTES = 256 * 1024;

/** Looks at the length alone. */
export async function checkFileSize(
  path: string,
  size: number | undefined,
  files: Files = systemFiles,
): Promise<FileState> {
  try {
    const found = await files.sizeOf(path);
    if (found === undefined) return 'missing';
    return size === undefined || found === size ? 'sound' : 'size';
  } catch (error) {
    return stateAfter(error);
  }
}

/** Looks at the length, and reads the file only when that is right. */
export async function checkFile(
  path: string,
  { sha256, size }: FileDigest,
  files: Files = systemFiles,
): Promise<FileState> {
  const state = await checkFileSize(path, size, files);
  if (state !== 'sound') return state;
  try {
    return (await hashFile(path, files)) === sha256 ? 'sound' : 'damaged';
  } catch (error) {
    return stateAfter(error);
  }
}

/** What an error says about the file that it is of. Throws it again if it is not about that file, such as too many open ones. */
export function stateAfter(error: unknown): Exclude<FileState, 'sound' | 'size'> {
  switch (systemCodeOf(error)) {
    // A path through something that is no directory leads to no file.
    case 'ENOENT':
    case 'ENOTDIR':
      return 'missing';
    case 'EIO':
      return 'damaged';
    case NOT_A_FILE:
    case 'EACCES':
    case 'EPERM':
    case 'ELOOP':
      return 'unreadable';
    default:
      throw error;
  }
}

/** Lower-case hex. */
export async function hashFile(path: string, files: Files = systemFiles): Promise<string> {
  const sha256 = createHash('sha256');
  const file = await files.open(path, 'read');
  try {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let position = 0; ; ) {
      const length = await file.read(buffer, position);
      sha256.update(buffer.subarray(0, length));
      if (length < READ_BYTES) return sha256.digest('hex');
      position += length;
    }
  } finally {
    await file.close();
  }
}

// What a failed disk operation means to the person who runs Curlew.

import { adviceOnOpenFiles, CurlewError, ErrorCode, messageOf, systemCodeOf } from '../platform/errors.ts';
import type { Files } from '../platform/files.ts';

/** Puts a system error into words. `path` is what was being written, `directory` where to ask for free space. */
export async function storageError(
  error: unknown,
  path: string,
  directory: string,
  files: Files,
): Promise<CurlewError> {
  if (error instanceof CurlewError) return error;
  const code = systemCodeOf(error);
  if (code !== 'ENOSPC' && code !== 'EDQUOT') {
    return new CurlewError(ErrorCode.dataDirectory, `Cannot write ${path}: ${messageOf(error)}`, {
      remedy:
        adviceOnOpenFiles(code) ??
        'Check that the data directory can be written and that its disk is healthy, then resume the run.',
      cause: error,
    });
  }
  const free = await files.freeBytes(directory).then(
    (bytes) => ` (${bytes} bytes free)`,
    () => '',
  );
  return new CurlewError(
    ErrorCode.diskFull,
    code === 'ENOSPC'
      ? `The disk is full${free}: cannot write ${path}`
      : `The disk quota is used up: cannot write ${path}`,
    { remedy: 'Make room, then resume the run: everything committed so far is kept.', cause: error },
  );
}

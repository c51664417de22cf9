// Whether the file that a download was saved as still is what was downloaded.

import { resolve, sep } from 'node:path';
import { checkFile, type FileState } from '../archive/check-file.ts';
import type { StoredExchange } from '../ledger/exchange-table.ts';
import { type Files, systemFiles } from '../platform/files.ts';

const SAYS = {
  missing: 'is missing',
  unreadable: 'is not a file that can be read',
  size: 'has another length than it had',
  damaged: 'has other bytes than it had',
};

/** Reads the file. A path that leads out of the directory of the files leads to none of them. */
export async function checkDownload(
  directory: string,
  { filePath = '', bodySha256, bodySize: size }: StoredExchange,
  disk: Files = systemFiles,
): Promise<FileState> {
  const path = resolve(directory, filePath);
  if (!path.startsWith(resolve(directory) + sep)) return 'missing';
  return checkFile(path, { sha256: Buffer.from(bodySha256).toString('hex'), size }, disk);
}

/** What is wrong with the file of a download, as a sentence without its end; undefined when nothing is. */
export async function findDownloadFault(
  directory: string,
  exchange: StoredExchange,
  disk?: Files,
): Promise<string | undefined> {
  const state = await checkDownload(directory, exchange, disk);
  return state === 'sound' ? undefined : `The downloaded file ${exchange.filePath} ${SAYS[state]}`;
}

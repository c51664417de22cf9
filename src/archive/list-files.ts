// The files in a directory, whatever a ledger knows of them.

import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../platform/errors.ts';

/** Name of the directory of files that are being written. */
export const PARTIAL = '.partial';

/** Everything under `root` that is no directory, with `/` between its parts; without files that are being written. */
export async function* listFiles(root: string, under?: string): AsyncGenerator<string> {
  for (const name of await namesIn(root, under ?? '')) {
    const path = under === undefined ? name : `${under}/${name}`;
    if (path !== PARTIAL) yield* listUnder(root, path);
  }
}

/** In the order of the names. One directory at a time is in memory. */
async function* listUnder(root: string, path: string): AsyncGenerator<string> {
  const stat = await lstat(join(root, path)).catch(() => undefined);
  if (stat === undefined) return;
  if (!stat.isDirectory()) {
    yield path;
    return;
  }
  for (const name of await namesIn(root, path)) yield* listUnder(root, `${path}/${name}`);
}

async function namesIn(root: string, path: string): Promise<string[]> {
  try {
    return (await readdir(join(root, path))).sort();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

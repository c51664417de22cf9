// A place for a file that its author chose: `named/<path>`. It cannot lead out of there, and what is in a place already is never
// overwritten: the same bytes are left as they are, and others are put beside them as a new version, `17.2.pdf`.

import { basename, dirname, extname, join } from 'node:path';
import { systemCodeOf } from '../platform/errors.ts';
import { type Files, makeLastingDirectory } from '../platform/files.ts';
import { checkFile, type FileDigest } from './check-file.ts';
import { safeFileName } from './safe-file-name.ts';

const NAMED = 'named';
const MOST_PARTS = 8;

/** The path below the file store that is meant by `path`, each part of it made safe; undefined when nothing is left of it. */
export function namedPlace(path: string): string | undefined {
  const parts = path.split(/[/\\]/).filter((part) => /[^.\s]/.test(part));
  if (parts.length === 0 || parts.length > MOST_PARTS) return undefined;
  return [NAMED, ...parts.map(safeFileName)].join('/');
}

/**
 * Gives the file `partial`, which is on the device, its place or the nearest that is free, and returns that. Undefined when it
 * cannot have one, because a part of the path is a file; nothing was done then.
 */
export async function putInPlace(
  partial: string,
  root: string,
  place: string,
  digest: FileDigest,
  files: Files,
): Promise<string | undefined> {
  const home = join(root, dirname(place));
  try {
    await makeLastingDirectory(home, files);
  } catch (error) {
    if (['ENOTDIR', 'EEXIST'].includes(systemCodeOf(error) ?? '')) return undefined;
    throw error;
  }
  for (let version = 1; ; version++) {
    const name = versionName(basename(place), version);
    const path = join(home, name);
    const isPut = await moveTo(partial, path, files);
    if (!isPut && (await checkFile(path, digest, files)) !== 'sound') continue;
    if (!isPut) await files.remove(partial);
    await files.syncDirectory(home);
    return `${dirname(place)}/${name}`;
  }
}

function versionName(name: string, version: number): string {
  if (version === 1) return name;
  const extension = extname(name);
  return `${name.slice(0, name.length - extension.length)}.${version}${extension}`;
}

/** False when something is there already. A link does not replace, and a rename does: it is only for disks without links. */
async function moveTo(partial: string, path: string, files: Files): Promise<boolean> {
  try {
    await files.link(partial, path);
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'EEXIST') return false;
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === undefined) throw error;
    if ((await files.sizeOf(path)) !== undefined) return false;
    await files.rename(partial, path);
    return true;
  }
  await files.remove(partial);
  return true;
}

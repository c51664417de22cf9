// Makes a directory and its parents, for nobody but their owner: archives hold cookies and passwords. Node's own `recursive` option never returns where the file system denies that a
// directory can be there at all (ENOENT under /proc), so this goes step by step.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemCodeOf } from './errors.ts';

/** Modes of what Curlew makes in a data directory. */
export const PRIVATE_DIRECTORY = 0o700;
export const PRIVATE_FILE = 0o600;

/** One that exists is fine, and keeps its mode. The names of new ones are on the device then. Throws the system's error. */
export function makeDirectory(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at);
  for (const directory of missing.reverse()) {
    try {
      mkdirSync(directory, { mode: PRIVATE_DIRECTORY });
      syncNames(dirname(directory));
    } catch (error) {
      // Another process was faster.
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** Of a parent that may not be read, the names cannot be synced: then they are as safe as the system makes them. */
function syncNames(directory: string): void {
  if (process.platform === 'win32') return;
  let handle: number;
  try {
    handle = openSync(directory, 'r');
  } catch (error) {
    if (systemCodeOf(error) === 'EACCES') return;
    throw error;
  }
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

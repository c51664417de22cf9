// Makes a directory and its parents. Node's own `recursive` option never returns where the file system denies that a
// directory can be there at all (ENOENT under /proc), so this goes step by step.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemCodeOf } from './errors.ts';

/** One that exists is fine. Throws the system's error. */
export function makeDirectory(path: string): void {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.push(at);
  for (const directory of missing.reverse()) {
    try {
      mkdirSync(directory);
    } catch (error) {
      // Another process was faster.
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  }
}

// Where Curlew's own package is, whether this runs from sources or compiled: its version, and its docs.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export function version(): string {
  return JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')).version;
}

/** The path of a page of the docs, which the package has too. For errors, so that their readers find it. */
export function docsPage(name: string): string {
  return join(packageRoot(), 'docs', name);
}

/** The directory of Curlew's own package.json. */
export function packageRoot(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory);
  return directory;
}

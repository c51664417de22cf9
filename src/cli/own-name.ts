// How the person at the keyboard called Curlew, so that a command we suggest works when it is pasted.

import { basename, dirname, relative } from 'node:path';

export function ownName(script = process.argv[1] ?? 'curlew', directory = process.cwd()): string {
  // A shim may name the file of an installed package.
  const isInstalled = /(?:^|[\\/])node_modules[\\/]curlew[\\/]bin[\\/]curlew\.js$/.test(script);
  if (isInstalled) return /[\\/]lib[\\/]node_modules[\\/]curlew[\\/]bin/.test(script) ? 'curlew' : 'npx curlew';
  if (basename(script) === 'curlew.js') return `node ${quoted(relative(directory, script))}`;
  return basename(dirname(script)) === '.bin' ? 'npx curlew' : 'curlew';
}

/** An argument as a POSIX shell takes it literally. */
export function quoted(argument: string): string {
  return /^[\w@%+=:,./~-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

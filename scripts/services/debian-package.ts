// Debian's packages, installed only where that needs no question: as root, on Debian.

import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { messageOf } from '../../src/platform/errors.ts';

const run = promisify(execFile);

/** Installs a package. Gives the reason when it cannot be done, as a sentence. */
export async function installPackage(name: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'It is not installed from here: that takes root.';
  try {
    await access('/etc/debian_version');
  } catch {
    return 'It is not installed from here: this is not Debian.';
  }
  try {
    await run('apt-get', ['update', '-qq']);
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], {
      // Run level 1 keeps the package from starting a service of its own.
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' },
    });
    return undefined;
  } catch (error) {
    return `apt-get failed: ${messageOf(error).trim()}`;
  }
}

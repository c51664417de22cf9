// Chromium for pages that need a browser: the one named in CURLEW_CHROMIUM, one on the PATH, else Debian's package.

import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findChromium } from '../../src/fetch/browser/find-chromium.ts';
import { messageOf } from '../../src/platform/errors.ts';
import type { Ensured, Service } from './service.ts';

const run = promisify(execFile);

export const chromium: Service = {
  name: 'chromium',
  async ensure() {
    const found = await look();
    if (found.kind === 'ready' || process.env.CURLEW_CHROMIUM) return found;
    const obstacle = await whyNotInstallable();
    if (obstacle !== undefined) return { kind: 'missing', reason: `${found.reason} ${obstacle}` };
    try {
      await run('apt-get', ['update', '-qq']);
      await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    } catch (error) {
      return { kind: 'missing', reason: `${found.reason} apt-get failed: ${messageOf(error).trim()}` };
    }
    return look();
  },
};

async function look(): Promise<Ensured> {
  try {
    return { kind: 'ready', facts: { path: await findChromium() } };
  } catch (error) {
    return { kind: 'missing', reason: `${messageOf(error)}.` };
  }
}

async function whyNotInstallable(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'It is not installed from here: that takes root.';
  try {
    await access('/etc/debian_version');
    return undefined;
  } catch {
    return 'It is not installed from here: this is not Debian.';
  }
}

// Chromium for pages that need a browser: the one named in CURLEW_CHROMIUM, one on the PATH, else Debian's package.

import { findChromium } from '../../src/fetch/browser/find-chromium.ts';
import { messageOf } from '../../src/platform/errors.ts';
import { installPackage } from './debian-package.ts';
import type { Ensured, Service } from './service.ts';

export const chromium: Service = {
  name: 'chromium',
  async ensure() {
    const found = await look();
    if (found.kind === 'ready' || process.env.CURLEW_CHROMIUM) return found;
    const obstacle = await installPackage('chromium');
    return obstacle === undefined ? look() : { kind: 'missing', reason: `${found.reason} ${obstacle}` };
  },
};

async function look(): Promise<Ensured> {
  try {
    return { kind: 'ready', facts: { path: await findChromium() } };
  } catch (error) {
    return { kind: 'missing', reason: `${messageOf(error)}.` };
  }
}

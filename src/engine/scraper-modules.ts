// How the imports of scraper files are found, whatever place they are in: `curlew` means the Curlew that runs them, `zod`
// is there even where nothing was installed, and a .ts file is a module whatever the nearest package.json says.

import { registerHooks } from 'node:module';
import { extname } from 'node:path';
import { systemCodeOf } from '../platform/errors.ts';

// Sources import .ts, the compiled package .js.
const extension = extname(import.meta.filename);

const OWN: Record<string, string> = {
  curlew: new URL(`../index${extension}`, import.meta.url).href,
  'curlew/testing': new URL(`../testing${extension}`, import.meta.url).href,
  'curlew/robots': new URL(`../robots${extension}`, import.meta.url).href,
};

/** For a thread that reads answers, which needs but a part of Curlew: call it before any scraper is loaded. */
export function loadPartOfCurlew(): void {
  OWN.curlew = new URL(`./steps/curlew-in-thread${extension}`, import.meta.url).href;
}

let hooked = false;
let lastLoaded: string | undefined;

/** The module that was loaded last: when loading fails with a syntax error, the one that has it. */
export function lastLoadedModule(): string | undefined {
  return lastLoaded;
}

/** From now on, for this process. May be called again. */
export function hookScraperModules(): void {
  if (hooked) return;
  hooked = true;
  registerHooks({
    resolve(specifier, context, next) {
      const own = OWN[specifier];
      if (own !== undefined) return { url: own, shortCircuit: true };
      try {
        return asModule(next(specifier, context));
      } catch (error) {
        const isZod = specifier === 'zod' || specifier.startsWith('zod/');
        if (!isZod || systemCodeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
    load(url, context, next) {
      lastLoaded = url;
      return next(url, context);
    },
  });
}

/** `npm init` writes "type": "commonjs", with which Node would refuse `import` and `export` in a .ts file. */
function asModule<T extends { readonly url: string; readonly format?: string | null | undefined }>(found: T): T {
  return found.url.startsWith('file:') && found.url.endsWith('.ts') ? { ...found, format: 'module-typescript' } : found;
}

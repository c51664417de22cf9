// Loads a scraper file as it is, TypeScript included. Whatever place the file is in, `curlew` means the Curlew that runs
// it, and `zod` is found even where nothing was installed.

import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CurlewError, ErrorCode, messageOf, systemCodeOf } from '../platform/errors.ts';
import { type AnyScraperParams, Scraper } from '../scraper/scraper.ts';

export type ScraperClass = (new (params?: AnyScraperParams) => Scraper) & typeof Scraper;

// Sources import .ts, the compiled package .js.
const extension = extname(import.meta.filename);

const OWN: Readonly<Record<string, string>> = {
  curlew: new URL(`../index${extension}`, import.meta.url).href,
  'curlew/testing': new URL(`../testing${extension}`, import.meta.url).href,
  'curlew/robots': new URL(`../robots${extension}`, import.meta.url).href,
};

let hooked = false;

function hookResolution(): void {
  if (hooked) return;
  hooked = true;
  registerHooks({
    resolve(specifier, context, next) {
      const own = OWN[specifier];
      if (own !== undefined) return { url: own, shortCircuit: true };
      if (specifier !== 'zod' && !specifier.startsWith('zod/')) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch (error) {
        if (systemCodeOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}

/** The class that `file` exports as default. Throws `scraper_file`, saying what is wrong with the file and where. */
export async function loadScraper(file: string): Promise<ScraperClass> {
  const path = resolve(file);
  if (!existsSync(path)) {
    throw new CurlewError(ErrorCode.scraperFile, `There is no file ${file}.`, { remedy: `Looked for ${path}.` });
  }
  hookResolution();
  const exported = await importFile(file, path);
  if (isScraperClass(exported)) return exported;
  throw new CurlewError(ErrorCode.scraperFile, `${file} does not export a scraper.`, {
    remedy: 'It needs: export default class MyScraper extends Scraper { … }',
  });
}

async function importFile(file: string, path: string): Promise<unknown> {
  try {
    const module = await import(pathToFileURL(path).href);
    return module.default;
  } catch (cause) {
    throw new CurlewError(ErrorCode.scraperFile, `${file} cannot be loaded: ${explain(cause)}`, {
      remedy: remedyFor(cause),
      cause,
    });
  }
}

/** For a syntax error the place is in the first lines of the stack: file, line, and a caret. */
function explain(cause: unknown): string {
  if (!(cause instanceof Error)) return messageOf(cause);
  const stack = cause.stack ?? '';
  const place = stack.slice(0, stack.indexOf(`${cause.name}`)).trim();
  const atImport = /^\s+at (?:.*\()?(file:\/\/[^\s)]+)/m.exec(stack)?.[1];
  if (cause instanceof SyntaxError && place !== '') return `${cause.message}\n${place}`;
  return atImport === undefined ? cause.message : `${cause.message} (${atImport})`;
}

function remedyFor(cause: unknown): string {
  switch (systemCodeOf(cause)) {
    case 'ERR_MODULE_NOT_FOUND':
      return 'Install what it imports (npm install), and write relative imports with their extension (./case.ts).';
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      return 'Scraper files run as they are, with types stripped: no enums, namespaces, parameter properties or decorators.';
    default:
      return 'Mend the file and try again; nothing was begun.';
  }
}

function isScraperClass(value: unknown): value is ScraperClass {
  return typeof value === 'function' && value.prototype instanceof Scraper;
}

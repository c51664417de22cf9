// Loads a scraper or site file as it is, TypeScript included. What is wrong with the file is said with its place.

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CurlewError, ErrorCode, messageOf, systemCodeOf } from '../platform/errors.ts';
import { type AnyScraperParams, Scraper } from '../scraper/scraper.ts';
import { isSite, type SiteDefinition } from '../sites/define-site.ts';
import { hookScraperModules, lastLoadedModule } from './scraper-modules.ts';
import { type SyntaxPlace, syntaxPlace } from './syntax-place.ts';

/** A scraper of whatever file. */
export type ScraperClass = (new (params?: AnyScraperParams) => Scraper) & typeof Scraper;

/** The files that scrapers were loaded from, by their classes. */
const files = new WeakMap<object, string>();

/** The file that a scraper's class was loaded from here; undefined when a caller's own code has it. */
export function fileOf(scraper: Scraper): string | undefined {
  return files.get(scraper.constructor);
}

/** The class that `file` exports as default. Throws `scraper_file`, saying what is wrong with the file and where. */
export async function loadScraper(file: string): Promise<ScraperClass> {
  return checkScraper(file, await loadDefault(file, ErrorCode.scraperFile));
}

/** The same; of a site file it is the class that reads the site's items. For runs that were begun earlier. */
export async function loadScraperOrSite(file: string): Promise<ScraperClass> {
  return (await loadEither(file)).ScraperClass;
}

/** What `file` exports, for whoever takes either; of a site also the site itself. */
export async function loadEither(
  file: string,
): Promise<{ readonly ScraperClass: ScraperClass; readonly site: SiteDefinition | undefined }> {
  const exported = await loadDefault(file, ErrorCode.scraperFile);
  const site = isSite(exported) ? exported : undefined;
  return { ScraperClass: await checkScraper(file, site === undefined ? exported : site.scraper), site };
}

/** The site that `file` exports as default. Throws `site_file`, saying what is wrong with the file and where. */
export async function loadSite(file: string): Promise<SiteDefinition> {
  const exported = await loadDefault(file, ErrorCode.siteFile);
  if (isSite(exported)) {
    files.set(exported.scraper, resolve(file));
    return exported;
  }
  throw new CurlewError(ErrorCode.siteFile, `${file} does not export a site.`, {
    remedy: 'It needs: export default defineSite({ … })',
  });
}

async function checkScraper(file: string, exported: unknown): Promise<ScraperClass> {
  if (!isScraperClass(exported)) {
    throw new CurlewError(ErrorCode.scraperFile, `${file} does not export a scraper.`, {
      remedy: isSite(exported)
        ? `It is a site: curlew sites run ${file}`
        : 'It needs: export default class MyScraper extends Scraper { … }',
    });
  }
  // Once, so that a scraper that cannot be made is told as what it is.
  await trying(file, ErrorCode.scraperFile, async () => new exported());
  files.set(exported, resolve(file));
  return exported;
}

async function loadDefault(file: string, code: ErrorCode): Promise<unknown> {
  const path = resolve(file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw new CurlewError(code, `There is no file ${file}.`, { remedy: `Looked for ${path}.` });
  }
  hookScraperModules();
  return trying(file, code, async () => (await import(pathToFileURL(path).href)).default);
}

async function trying<T>(file: string, code: ErrorCode, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof CurlewError) throw cause;
    const place = cause instanceof SyntaxError && placeIn(cause) === '' ? findPlace() : undefined;
    const message = place === undefined ? explain(cause) : `${messageOf(cause)}\n${place.text}`;
    throw new CurlewError(code, `${file} cannot be loaded: ${message}`, {
      remedy: place?.isDecorator ? NO_DECORATORS : remedyFor(cause),
      cause,
    });
  }
}

/** For a syntax error that stripping types has found, the first lines of the stack: file, line, and a caret. Else empty. */
function placeIn({ name, stack = '' }: SyntaxError): string {
  return stack.slice(0, stack.indexOf(name)).trim();
}

function findPlace(): SyntaxPlace | undefined {
  const url = lastLoadedModule();
  return url?.startsWith('file:') ? syntaxPlace(url) : undefined;
}

function explain(cause: unknown): string {
  if (!(cause instanceof Error)) return messageOf(cause);
  const stack = cause.stack ?? '';
  if (cause instanceof SyntaxError) {
    const place = placeIn(cause);
    return place === '' ? cause.message : `${cause.message}\n${place}`;
  }
  // The message of a missing module says who imports it; the stack would only name us.
  const frame = systemCodeOf(cause) === 'ERR_MODULE_NOT_FOUND' ? null : /^\s+at .*?(file:\/\/[^\s)]+)/m.exec(stack);
  return frame === null ? cause.message : `${cause.message} (${frame[1]})`;
}

const NO_DECORATORS =
  'Scraper files run as they are, with types stripped, and so without decorators. Declare a field instead: ' +
  'byNumber = speculate({ … }, (id) => get(…)); or compile the file first.';

function remedyFor(cause: unknown): string {
  switch (systemCodeOf(cause)) {
    case 'ERR_MODULE_NOT_FOUND':
      return 'Install what it imports (npm install), and write relative imports with their extension (./case.ts).';
    case 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING':
      return 'Node runs no TypeScript under node_modules: copy the file into your project.';
    case 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX':
      return 'Scraper files run as they are, with types stripped: no enums, namespaces, parameter properties or decorators.';
    default:
      return 'Mend the file and try again; nothing was begun.';
  }
}

function isScraperClass(value: unknown): value is ScraperClass {
  return typeof value === 'function' && value.prototype instanceof Scraper;
}

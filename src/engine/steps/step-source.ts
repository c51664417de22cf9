// Where a thread gets the scraper from, and how it is seen that it got the same one.

import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { defineScraper, type ScraperDefinition } from '../../scraper/definition.ts';
import type { AnyScraperParams, Scraper } from '../../scraper/scraper.ts';
import { fileOf, loadScraperOrSite } from '../load-scraper.ts';

/** Plain data, for another thread. */
export interface StepSource {
  readonly file: string;
  readonly params: AnyScraperParams;
  readonly baseUrl: string;
  readonly fingerprint: string;
}

/** `file` for a scraper that was made by a caller's own code; those that were loaded here are known. */
export function stepSourceOf(definition: ScraperDefinition, file: string | undefined): StepSource | undefined {
  const { scraper, baseUrl } = definition;
  const known = fileOf(scraper) ?? file;
  if (known === undefined) return undefined;
  return { file: resolve(known), params: plain(scraper.params), baseUrl, fingerprint: fingerprintOf(definition) };
}

/** The scraper again, in another thread. Throws `scraper_file` when it is not the same. */
export async function loadSteps({ file, params, baseUrl, fingerprint }: StepSource): Promise<ScraperDefinition> {
  const ScraperClass = await loadScraperOrSite(file);
  const definition = defineScraper(new ScraperClass(params), baseUrl);
  if (fingerprintOf(definition) === fingerprint) return definition;
  throw new CurlewError(ErrorCode.scraperFile, `${file} is not the scraper that this run was begun with.`, {
    remedy:
      'If the file has changed meanwhile, go on with curlew resume. A scraper that is made in code must be one that its ' +
      'source file exports, made with nothing but its parameters.',
  });
}

/** Changes with the code of a step and with what a scraper was made with, as far as that is plain data. */
function fingerprintOf({ name, baseUrl, scraper, steps, stepNamed }: ScraperDefinition): string {
  const code = steps.map((step) => [step, String(stepNamed(step))]);
  return hash('sha256', JSON.stringify([name, baseUrl, code, fieldsOf(scraper)]));
}

function fieldsOf(scraper: Scraper): readonly (readonly [string, unknown])[] {
  const isPlain = (value: unknown) => value === null || ['string', 'number', 'boolean'].includes(typeof value);
  return Object.entries(scraper).filter(([, value]) => isPlain(value));
}

function plain(params: AnyScraperParams): AnyScraperParams {
  return JSON.parse(JSON.stringify(params));
}

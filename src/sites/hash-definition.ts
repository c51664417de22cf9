// What the lists of a site are read with, as one hash: a walk that was begun with another one would mix two ways of reading.

import { hash } from 'node:crypto';
import { markSelector, type Selector } from '../scraper/page/selector.ts';
import { Scraper } from '../scraper/scraper.ts';
import type { SiteDefinition } from './define-site.ts';

/**
 * Of selectors, options, and, where a step reads the lists, the source text of its class and of the classes it extends. What
 * such a step imports is not seen.
 */
export function hashDefinition({ list, maxPages, itemStep, scraper }: SiteDefinition): string {
  const read = Object.entries(list)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, SELECTORS.has(name) && typeof value !== 'boolean' ? selectorText(value) : value])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  const code = 'step' in list ? [itemStep, ...sourcesOf(scraper)] : [];
  return hash('sha256', JSON.stringify([read, maxPages ?? null, code]));
}

const SELECTORS: ReadonlySet<string> = new Set(['items', 'next', 'total', 'lastPageMayBeEmpty']);

function selectorText(selector: unknown): string {
  const { kind, expression } = markSelector(selector as Selector);
  return `${kind} ${expression}`;
}

function sourcesOf(scraper: SiteDefinition['scraper']): string[] {
  const sources: string[] = [];
  for (let at: unknown = scraper; typeof at === 'function' && at !== Scraper; at = Object.getPrototypeOf(at)) {
    sources.push(String(at));
  }
  return sources;
}

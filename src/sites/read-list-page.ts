// What stands on a list page: its items, the next page, and the total it states. Pure. A page that does not fit throws; it
// never passes for an empty one.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { canonicalUrl } from '../scraper/canonical-url.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { Page } from '../scraper/page/page.ts';
import type { Selector } from '../scraper/page/selector.ts';
import { StructureError } from '../scraper/page/structure-error.ts';
import { isRequest, type Request } from '../scraper/request.ts';
import type { SiteDefinition } from './define-site.ts';

export interface ListPage {
  /** Canonical, each once, in the order of the page. */
  readonly items: readonly string[];
  readonly nextUrl: string | undefined;
  readonly total: number | undefined;
}

export function readListPage(page: Page, site: SiteDefinition, definition: ScraperDefinition): ListPage {
  const { list } = site;
  const { items, next } =
    'step' in list ? readByStep(page, list.step, site.itemStep, definition) : readBySelectors(page, list);
  const [nextUrl, another] = next;
  if (another !== undefined) {
    throw new StructureError(page, {
      expected: 'at most one next page',
      actual: next.join(', '),
      summary: `There is more than one next page (${next.join(', ')})`,
      hint: 'Make the selector of the next page match one link only, or several to the same page.',
    });
  }
  return { items, nextUrl, total: list.total === undefined ? undefined : readTotal(page, list.total) };
}

interface Found {
  readonly items: readonly string[];
  readonly next: readonly string[];
}

function readBySelectors(page: Page, list: { readonly items: Selector; readonly next?: Selector }): Found {
  const hrefs = (selector: Selector) => unique(page.links(selector).map(({ url }) => canonicalUrl(url, page.url)));
  return { items: hrefs(list.items), next: list.next === undefined ? [] : hrefs(list.next) };
}

function readByStep(page: Page, step: string, itemStep: string, definition: ScraperDefinition): Found {
  const found = { items: [] as string[], next: [] as string[] };
  const method = definition.stepNamed(step);
  for (const yielded of method.call(definition.scraper, page as never)) {
    const target = isRequest(yielded) && isPlain(yielded) && yielded.step && definition.nameOf(yielded.step);
    if (!isRequest(yielded) || (target !== step && target !== itemStep)) throw strangeYield(definition, step, itemStep);
    found[target === step ? 'next' : 'items'].push(canonicalUrl(yielded.url, page.url));
  }
  return { items: unique(found.items), next: unique(found.next) };
}

/** An item is kept as an address: what a request says beyond it would be lost. */
function isPlain({ method, saves, context, options }: Request): boolean {
  return method === 'GET' && saves === 'page' && context === undefined && Object.keys(options).length === 0;
}

/** The largest number in the text: "1–20 of 1,240 results" is 1240. */
function readTotal(page: Page, selector: Selector): number {
  const text = page.text(selector);
  const numbers = [...text.matchAll(/\d{1,3}(?:[.,' \u202f]\d{3})+(?!\d)|\d+/g)].map(([number]) =>
    Number(number.replace(/\D/g, '')),
  );
  if (numbers.length > 0) return Math.max(...numbers);
  const shown = JSON.stringify(text);
  throw new StructureError(page, { expected: 'a number', actual: shown, summary: `The total is no number: ${shown}` });
}

function unique(urls: readonly string[]): string[] {
  return [...new Set(urls)];
}

function strangeYield({ name }: ScraperDefinition, step: string, itemStep: string): CurlewError {
  return new CurlewError(
    ErrorCode.stepFailed,
    `${name}.${step} yielded something else than items and the next page of a list.`,
    { remedy: `Yield get(item, this.${itemStep}) and get(next, this.${step}), without options or context.` },
  );
}

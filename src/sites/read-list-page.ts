// What stands on a list page: its items, where its next link leads, the total it states. Pure. A page that does not fit
// throws; it never passes for an empty one, and no item or next link is left out because its address cannot be used.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { canonicalUrl } from '../scraper/canonical-url.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { Page } from '../scraper/page/page.ts';
import { markSelector, type Selector } from '../scraper/page/selector.ts';
import { StructureError } from '../scraper/page/structure-error.ts';
import { isRequest, type Request } from '../scraper/request.ts';
import type { SiteDefinition } from './define-site.ts';
import type { PageLink } from './page-address.ts';

/**
 * Where the next link of a page leads. `dead`: there is one, without an address that can be asked for; `written` is the
 * address as it stands there, and `isSelf` says that it is a place on the page itself (`#`).
 */
export type NextLink =
  | { readonly kind: 'none' }
  | { readonly kind: 'page'; readonly url: string; readonly text: string | undefined }
  | { readonly kind: 'dead'; readonly written: string; readonly isSelf: boolean };

export interface ListPage {
  /** The address that was answered, after redirects. Canonical. */
  readonly url: string;
  /** Canonical, each once, in the order of the page. */
  readonly items: readonly string[];
  readonly next: NextLink;
  readonly total: number | undefined;
  /** The links that are no items, where there is no next page: some may lead to one all the same. */
  readonly otherLinks: readonly PageLink[];
  /** Whether it shows what the site says an empty last page shows; false when the site says nothing about that. */
  readonly isMarkedEmpty: boolean;
}

export function readListPage(page: Page, site: SiteDefinition, definition: ScraperDefinition): ListPage {
  const { list } = site;
  const { items, next } =
    'step' in list ? readByStep(page, list.step, site.itemStep, definition) : readBySelectors(page, list);
  return {
    url: canonicalUrl(page.url),
    items,
    next,
    total: list.total === undefined ? undefined : readTotal(page, list.total),
    otherLinks: next.kind === 'page' ? [] : readOtherLinks(page, items),
    isMarkedEmpty: isSelector(list.lastPageMayBeEmpty) && page.all(list.lastPageMayBeEmpty).length > 0,
  };
}

/** Whether the page has the end of an HTML document. One that was cut off has lost it. */
export function hasHtmlEnd(page: Page): boolean {
  return /<\/html\s*>/i.test(page.source);
}

interface Found {
  readonly items: readonly string[];
  readonly next: NextLink;
}

function readBySelectors(page: Page, list: { readonly items: Selector; readonly next?: Selector }): Found {
  return { items: readItems(page, list.items), next: list.next === undefined ? NONE : readNext(page, list.next) };
}

const NONE = { kind: 'none' } as const;

function readItems(page: Page, selector: Selector): string[] {
  const targets = page.targets(selector);
  const dead = targets.filter(({ url }) => url === undefined);
  const [example] = dead;
  if (example !== undefined) {
    const { expression } = markSelector(selector);
    const where = example.written === undefined ? 'no address' : JSON.stringify(example.written);
    throw new StructureError(page, {
      selector: expression,
      expected: 'links that can be fetched',
      actual: `${example.element} with ${where}`,
      summary: `\`${expression}\` matches ${targets.length} times, ${dead.length} of them without an address that can be fetched (${where}),`,
      hint: 'Make the selector of the items match links to items only; an item without an address would be lost.',
    });
  }
  return unique(targets.flatMap(({ url }) => (url === undefined ? [] : [canonicalUrl(url, page.url)])));
}

function readNext(page: Page, selector: Selector): NextLink {
  const targets = page.targets(selector);
  const urls = targets.flatMap(({ url, element }) =>
    url === undefined ? [] : [{ url: canonicalUrl(url, page.url), text: element.text() }],
  );
  const [first] = urls;
  if (first !== undefined) return oneNext(page, urls);
  const [dead] = targets;
  if (dead === undefined) return NONE;
  const written = dead.written?.trim();
  return { kind: 'dead', written: written ?? `${dead.element}`, isSelf: written === '' || !!written?.startsWith('#') };
}

function oneNext(page: Page, found: readonly { readonly url: string; readonly text: string | undefined }[]): NextLink {
  const [first] = found;
  const urls = unique(found.map(({ url }) => url));
  if (first === undefined) return NONE;
  if (urls.length === 1) return { kind: 'page', url: first.url, text: first.text || undefined };
  throw new StructureError(page, {
    expected: 'at most one next page',
    actual: urls.join(', '),
    summary: `There is more than one next page (${urls.join(', ')})`,
    hint: 'Make the selector of the next page match one link only, or several to the same page.',
  });
}

function readByStep(page: Page, step: string, itemStep: string, definition: ScraperDefinition): Found {
  const found = { items: [] as string[], next: [] as string[] };
  const method = definition.stepNamed(step);
  for (const yielded of method.call(definition.scraper, page as never)) {
    const target = isRequest(yielded) && isPlain(yielded) && yielded.step && definition.nameOf(yielded.step);
    if (!isRequest(yielded) || (target !== step && target !== itemStep)) throw strangeYield(definition, step, itemStep);
    found[target === step ? 'next' : 'items'].push(canonicalUrl(yielded.url, page.url));
  }
  const next = oneNext(
    page,
    found.next.map((url) => ({ url, text: undefined })),
  );
  return { items: unique(found.items), next };
}

/** An item is kept as an address: what a request says beyond it would be lost. */
function isPlain({ method, saves, context, options }: Request): boolean {
  return method === 'GET' && saves === 'page' && context === undefined && Object.keys(options).length === 0;
}

function readOtherLinks(page: Page, items: readonly string[]): PageLink[] {
  if (!isMarkup(page)) return [];
  const known = new Set(items);
  return page.targets('a[href], area[href], link[rel]').flatMap(({ url, element }) => {
    const isNext = element.attribute('rel')?.toLowerCase().split(/\s+/).includes('next') ?? false;
    if (url === undefined || (element.tag === 'link' && !isNext)) return [];
    const address = canonicalUrl(url, page.url);
    return known.has(address) ? [] : [{ url: address, text: element.text(), isNext }];
  });
}

function isMarkup({ contentType }: Page): boolean {
  return contentType === undefined || /html|xml/.test(contentType);
}

export function isSelector(value: Selector | boolean | undefined): value is Selector {
  return value !== undefined && typeof value !== 'boolean';
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

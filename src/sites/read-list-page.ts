// What stands on a list page: its items, where its next link leads, the total it states. Pure. A page that does not fit
// throws; it never passes for an empty one, and no item or next link is left out because its address cannot be used.

import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { canonicalUrl } from '../scraper/canonical-url.ts';
import type { ScraperDefinition } from '../scraper/definition.ts';
import type { Page } from '../scraper/page/page.ts';
import type { Element } from '../scraper/page/scope.ts';
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
  /** The links and buttons that are neither items nor the next link: some may lead to a next page all the same. */
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
    otherLinks: readOtherLinks(page, items, next),
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

function readOtherLinks(page: Page, items: readonly string[], next: NextLink): PageLink[] {
  const known = new Set(next.kind === 'page' ? [...items, next.url] : items);
  const inHeader = linksInHeader(page);
  if (!isMarkup(page)) return inHeader.filter(({ url }) => !known.has(url));
  const inMarkup = page
    .targets('a[href], a[onclick], area[href], link[rel], button, input[type="submit"]')
    .flatMap((target) => {
      const { element } = target;
      const isNext = element.attribute('rel')?.toLowerCase().split(/\s+/).includes('next') ?? false;
      if (element.tag === 'link' && !isNext) return [];
      const url = target.url === undefined ? scripted(target) : canonicalUrl(target.url, page.url);
      // A dead next link is such a thing itself; the site's author has to declare what it means.
      if (target.url === undefined && next.kind === 'dead') return [];
      return url === undefined ? [] : [{ url, text: labelOf(element), isNext }];
    });
  return [...inHeader, ...inMarkup].filter(({ url }) => !known.has(url));
}

/** RFC 8288: `Link: </list?page=2>; rel="next"`. */
function linksInHeader(page: Page): PageLink[] {
  const fields = page.headers.filter(([name]) => name.toLowerCase() === 'link').map(([, value]) => value);
  return [...fields.join(', ').matchAll(/<([^>]*)>((?:[^",]|"[^"]*")*)/g)].flatMap(
    ([, address = '', parameters = '']) => {
      const url = URL.parse(address, page.url);
      const isNext = /;\s*rel\s*=\s*(?:next\b|"(?:[^"]*\s)?next[\s"])/i.test(parameters);
      return isNext && url !== null ? [{ url: canonicalUrl(url.href), text: '', isNext }] : [];
    },
  );
}

/** The start tag of a button, or of a link that a script follows, unless it is disabled: there is no address to name. */
function scripted({ written = '', element }: ReturnType<Page['targets']>[number]): string | undefined {
  const isLink = element.tag === 'a';
  const acts =
    !isLink || isCode(element.attribute('onclick') ?? '') || isCode(/^\s*javascript:(.*)/is.exec(written)?.[1] ?? '');
  const isOff = element.xpath(DISABLED) === true;
  return acts && !isOff ? `${element}` : undefined;
}

/** Whether it does anything: `void(0)` and `return false` do not. */
function isCode(script: string): boolean {
  return !/^\s*(?:;|void\b|return\s+false\b|$)/.test(script);
}

const DISABLED = `boolean(self::*[@disabled] | (self::* | parent::*)[@aria-disabled = 'true' or contains(@class, 'disabled')])`;

function labelOf(element: Element): string {
  return (
    element.text() ||
    (element.attribute('aria-label') ?? element.attribute('title') ?? element.attribute('value') ?? '')
  );
}

function isMarkup({ contentType }: Page): boolean {
  return contentType === undefined || /html|xml/.test(contentType);
}

export function isSelector(value: Selector | boolean | undefined): value is Selector {
  return value !== undefined && typeof value !== 'boolean';
}

/** The largest number in the text: "1–20 of 1,240 results" is 1240, and "1,02,000" is 102000. */
function readTotal(page: Page, selector: Selector): number {
  const text = page.text(selector);
  const numbers = [...text.matchAll(/\d{1,2}(?:,\d{2})+,\d{3}(?!\d)|\d{1,3}(?:[.,'’ \u202f]\d{3})+(?!\d)|\d+/g)].map(
    ([number]) => Number(number.replace(/\D/g, '')),
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

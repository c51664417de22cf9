// A site as its author declares it: where its lists begin, how to read a list page, which step reads an item. Checked once,
// when it is declared; what does not fit is refused with a message that names it.

import { z } from 'zod';
import { CurlewError, ErrorCode, messageOf } from '../platform/errors.ts';
import { docsPage } from '../platform/version.ts';
import { defineScraper } from '../scraper/definition.ts';
import type { Page } from '../scraper/page/page.ts';
import { compileSelector, type Selector } from '../scraper/page/selector.ts';
import type { Yielded } from '../scraper/request.ts';
import { type AnyScraperParams, Scraper } from '../scraper/scraper.ts';
import { ProxyStrategy, placeGeo } from './proxy-strategy.ts';

/** The class of a scraper. */
export type ScraperClassOf<S extends Scraper> = new (params?: AnyScraperParams) => S;

/** The names of a scraper's steps that read a page and need no context. */
export type PageStepOf<S> = {
  [Name in keyof S]: S[Name] extends (page: Page) => Iterable<Yielded> ? Name : never;
}[keyof S] &
  string;

const NEXT_ON_LAST_PAGE = ['absent', 'disabled', 'itself', 'first-page'] as const;
/**
 * What the next link of a last page is. `absent`: there is none. `disabled`: it has no address that can be fetched, as
 * `javascript:`, `#`, or a `span`. `itself` and `first-page`: it leads there.
 */
export type NextOnLastPage = (typeof NEXT_ON_LAST_PAGE)[number];

const RECHECKS = ['none', 'first-page', 'every-page'] as const;
/** Which pages of a list are read a second time at its end, to see that nothing has moved meanwhile. */
export type Recheck = (typeof RECHECKS)[number];

/** What else is known about the lists of a site. */
export interface ListOptions {
  /** What states how many items a list has. The largest number in its text counts. Default: nothing does. */
  readonly total?: Selector;
  /** Whether an item may stand on several pages of one list. Default: no, then it means that items have moved. */
  readonly itemsMayRepeat?: boolean;
  /**
   * Whether a list ends with a page that has neither items nor a next link; a selector is what such a page shows. Default:
   * no, then such a page is taken for a fault.
   */
  readonly lastPageMayBeEmpty?: boolean | Selector;
  /** What the next link of a last page is, or may be. Another end is taken for a fault. Default `absent`. */
  readonly nextOnLastPage?: NextOnLastPage | readonly NextOnLastPage[];
  /** Whether start pages and next links may be redirected to another page than they name. Default: no. */
  readonly pagesMayRedirect?: boolean;
  /** Default `first-page`, and `none` for a list that states a total. */
  readonly recheck?: Recheck;
  /** Whether items may be missing that the run before had. Default: no, then the run is suspicious and names them. */
  readonly itemsMayVanish?: boolean;
}

/** How a list page is read: by selectors, or by a step of the scraper that yields the items and the next page. */
export type ListInput<S extends Scraper> = ListOptions &
  (
    | {
        /** The links to the items. */
        readonly items: Selector;
        /** The link to the next page; none on the last. Default: there is one page. */
        readonly next?: Selector;
      }
    | {
        /** It yields `get(item, this.<itemStep>)` for each item, and `get(next, this.<this step>)` for the next page. */
        readonly step: PageStepOf<S>;
      }
  );

/** A site as its author declares it: where its lists begin, how they are read, and who reads the items. */
export interface SiteInput<S extends Scraper> {
  /** Names the site, and what its proxies are blocked for. */
  readonly domain: string;
  /** Where each list begins; relative ones are resolved against the scraper's base URL. A generator is read once. */
  readonly startPages: Iterable<string> | (() => Iterable<string>);
  readonly list: ListInput<S>;
  /** The most pages of one list: a longer one is taken to end there. Default: no list may have 10,000. */
  readonly maxPages?: number;
  readonly scraper: ScraperClassOf<S>;
  /** The step that reads an item. */
  readonly itemStep: PageStepOf<S>;
  /** Default: `{ strategy: 'none' }`. */
  readonly proxies?: ProxyStrategy;
}

/** A site that was declared. */
export interface SiteDefinition extends Omit<SiteInput<Scraper>, 'startPages' | 'list' | 'itemStep' | 'proxies'> {
  readonly kind: 'site';
  readonly startPages: readonly string[];
  readonly list: ListOptions &
    ({ readonly items: Selector; readonly next?: Selector } | { readonly step: string; readonly items?: never });
  readonly itemStep: string;
  readonly proxies: ProxyStrategy;
}

const SelectorInput = z.union(
  [z.string().min(1), z.strictObject({ kind: z.enum(['css', 'xpath']), expression: z.string().min(1) })],
  'a selector: css or XPath',
);
const ListShape = {
  total: SelectorInput.optional(),
  itemsMayRepeat: z.boolean().optional(),
  lastPageMayBeEmpty: z.union([z.boolean(), SelectorInput]).optional(),
  nextOnLastPage: z.union([z.enum(NEXT_ON_LAST_PAGE), z.array(z.enum(NEXT_ON_LAST_PAGE)).min(1).readonly()]).optional(),
  pagesMayRedirect: z.boolean().optional(),
  recheck: z.enum(RECHECKS).optional(),
  itemsMayVanish: z.boolean().optional(),
};
const Input = z.strictObject({
  domain: z.string().regex(/^[^\s/?#@]+$/, 'a host name, as in court.example'),
  startPages: z.preprocess(readStartPages, z.array(z.string().min(1), 'a list of addresses').min(1).readonly()),
  list: z.union(
    [
      z.strictObject({ items: SelectorInput, next: SelectorInput.optional(), ...ListShape }),
      z.strictObject({ step: z.string().min(1), ...ListShape }),
    ],
    `either { items, next } with selectors, or { step } with the name of a step; and ${Object.keys(ListShape).join(', ')}`,
  ),
  maxPages: z.int().min(1).optional(),
  scraper: z.custom<ScraperClassOf<Scraper>>(isScraperClass, 'the class of a scraper'),
  itemStep: z.string().min(1),
  proxies: ProxyStrategy.default({ strategy: 'none' }),
});

/**
 * Declares a site, as the default export of a site file. Throws `site_file` when it does not fit.
 *
 * @example
 * export default defineSite({
 *   domain: 'court.example',
 *   startPages: ['/list/civil', '/list/criminal'],
 *   list: { items: 'table.cases a', next: 'a.next', total: '.total' },
 *   scraper: CountyCourt,
 *   itemStep: 'parseCase',
 * });
 */
export function defineSite<S extends Scraper>(input: SiteInput<S>): SiteDefinition {
  const parsed = Input.safeParse(input);
  if (!parsed.success) {
    throw misfit(parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'it'}: ${message}`).join('; '));
  }
  const site = { kind: 'site', ...parsed.data, proxies: withGeo(parsed.data.proxies) } as SiteDefinition;
  assertSteps(site);
  assertSelectors(site);
  return Object.freeze(site);
}

/** True for what `defineSite` returns. */
export function isSite(value: unknown): value is SiteDefinition {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'site';
}

/** Start pages that are generated are made when the site is declared; a single string is no list of them. */
function readStartPages(given: unknown): unknown {
  const pages = typeof given === 'function' ? given() : given;
  return typeof pages === 'object' && pages !== null && Symbol.iterator in pages
    ? collect(pages as Iterable<unknown>)
    : pages;
}

/** More start pages than this are taken for a generator that never ends. */
const MOST_START_PAGES = 100_000;

function collect(pages: Iterable<unknown>): unknown[] {
  const collected: unknown[] = [];
  for (const page of pages) {
    if (collected.push(page) > MOST_START_PAGES) throw misfit(`startPages: more than ${MOST_START_PAGES} start pages`);
  }
  return collected;
}

function isScraperClass(value: unknown): boolean {
  return typeof value === 'function' && value.prototype instanceof Scraper;
}

function withGeo(proxies: ProxyStrategy): ProxyStrategy {
  try {
    return placeGeo(proxies);
  } catch (error) {
    throw misfit(`proxies.geo: ${messageOf(error)}`);
  }
}

function assertSteps(site: SiteDefinition): void {
  const { name, steps } = defineScraper(new site.scraper());
  const wanted = { itemStep: site.itemStep, ...('step' in site.list && { 'list.step': site.list.step }) };
  for (const [field, step] of Object.entries(wanted)) {
    if (!steps.includes(step)) throw misfit(`${field}: ${name} has no step named ${step}, but ${steps.join(', ')}`);
  }
}

function assertSelectors({ list }: SiteDefinition): void {
  const { total, lastPageMayBeEmpty } = list;
  const selectors = {
    total,
    lastPageMayBeEmpty,
    ...(list.items !== undefined && { items: list.items, next: list.next }),
  };
  for (const [field, selector] of Object.entries(selectors)) {
    try {
      if (selector !== undefined && typeof selector !== 'boolean') compileSelector(selector, false);
    } catch (error) {
      throw misfit(`list.${field}: ${messageOf(error)}`);
    }
  }
}

function misfit(what: string): CurlewError {
  return new CurlewError(ErrorCode.siteFile, `The site does not fit: ${what}`, {
    remedy: `${docsPage('sites.md')} has every field of a site.`,
  });
}

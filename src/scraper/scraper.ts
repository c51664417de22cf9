// The class authors extend. A scraper is pure: its steps get a page and yield; they do no I/O, read no clock and keep no
// state, so that any of them can be run again on an archived page and give the same.

import { defineScraper } from './definition.ts';
import { describeScraper, type ScraperDescription, type SpeculatorDescription } from './describe.ts';
import type { Entry } from './entry.ts';
import { type SpeculatorNames, type SpeculatorParams, speculatorParams } from './speculation-params.ts';

/** The parameters of one run, typed on the scraper's own entries. */
export interface ScraperParams<T> {
  /** Parameters for entries that take some. An entry without its parameters does not run. */
  entries: {
    [Name in keyof T as T[Name] extends Entry<infer P>
      ? [P] extends [undefined]
        ? never
        : Name
      : never]?: T[Name] extends Entry<infer P> ? P : never;
  };
  /** Settings of the speculators. */
  readonly speculative: Record<SpeculatorNames<T>, SpeculatorParams>;
  /** Run only these entries and speculators. Default: all that can run. */
  only: readonly string[] | undefined;
}

/** Parameters of whatever scraper, for code that only passes them on. */
export interface AnyScraperParams {
  readonly entries: Readonly<Record<string, unknown>>;
  readonly speculative?: Readonly<Record<string, SpeculatorParams>>;
  readonly only: readonly string[] | undefined;
}

/**
 * A site, as a class: where to begin (`entry`), and how to read each kind of page (generator methods).
 *
 * @example
 * export default class CountyCourt extends Scraper {
 *   baseUrl = 'https://court.example';
 *   start = entry(() => get('/cases', this.parseList));
 *   *parseList(page: Page) {
 *     for (const link of page.links('table.cases a', { atLeast: 1 })) yield get(link, this.parseCase);
 *   }
 *   *parseCase(page: Page) {
 *     yield record('case', Case, { title: page.text('h1') });
 *   }
 * }
 */
export abstract class Scraper {
  /** What relative addresses of entries are resolved against. */
  abstract readonly baseUrl: string;
  /** Priorities of steps by name; a request that leads to a step takes the step's. Higher goes first, default 0. */
  readonly priorities: Readonly<Record<string, number>> = {};
  /** What this run was asked for. */
  readonly params: AnyScraperParams;

  constructor(params: AnyScraperParams = { entries: {}, only: undefined }) {
    this.params = params;
  }

  /** Empty parameters for this scraper, to be filled in and given to its constructor. */
  static params<T extends Scraper>(this: new (params?: AnyScraperParams) => T): ScraperParams<T> {
    const { name, speculators } = defineScraper(new this());
    return { entries: {}, speculative: speculatorParams(name, [...speculators.keys()]), only: undefined };
  }

  /** The speculators with what is known of their ids. */
  static listSpeculators(this: new () => Scraper): SpeculatorDescription[] {
    return describeScraper(new this()).speculators.map(({ partitions: _, ...observed }) => observed);
  }

  /** What this scraper offers: its entries with their parameters as JSON Schema, its speculators, its steps. */
  static describe(this: new () => Scraper): ScraperDescription {
    return describeScraper(new this());
  }
}

// How far the walk over the lists of a site is, for those who watch.

import type { StartPage, StartPageId } from '../ledger/sites/partial-run-table.ts';
import type { Clock } from '../platform/clock.ts';

/** How far the walk over the lists of a site is. */
export interface WalkProgress {
  /** Start pages, and how many of them have been walked to their end or given up. */
  readonly lists: number;
  readonly listsDone: number;
  /** List pages that were read. */
  readonly pages: number;
  /** Items that were found. */
  readonly items: number;
  /** Items that there are as the site says; undefined while it has not said so for every list. */
  readonly itemsTotal: number | undefined;
  /** List pages a second, since this start. */
  readonly pagesPerSecond: number;
  /** How long it will take; undefined while that cannot be told. */
  readonly leftMs: number | undefined;
}

export class WalkMeter {
  readonly #clock: Clock;
  readonly #lists: Map<StartPageId, StartPage>;
  readonly #begun: { readonly at: number; readonly pages: number; readonly items: number };

  constructor(startPages: readonly StartPage[], clock: Clock) {
    this.#clock = clock;
    this.#lists = new Map(startPages.map((page) => [page.id, page]));
    const { pages, items } = this.#sums();
    this.#begun = { at: clock.monotonic(), pages, items };
  }

  /** A page was saved, or the list was given up. */
  note(startPage: StartPage): void {
    this.#lists.set(startPage.id, startPage);
  }

  look(): WalkProgress {
    const lists = [...this.#lists.values()];
    const { pages, items } = this.#sums();
    const seconds = Math.max(0.001, (this.#clock.monotonic() - this.#begun.at) / 1000);
    const totals = lists.map(({ completed, urls, statedTotal }) => (completed ? urls : statedTotal));
    const isTold = totals.every((total) => total !== undefined);
    const itemsTotal = isTold ? totals.reduce((sum, total) => sum + (total ?? 0), 0) : undefined;
    const itemsPerSecond = (items - this.#begun.items) / seconds;
    const left = itemsTotal === undefined ? undefined : Math.max(0, itemsTotal - items);
    return {
      lists: lists.length,
      listsDone: lists.filter(({ completed, reason }) => completed || reason !== undefined).length,
      pages,
      items,
      itemsTotal,
      pagesPerSecond: (pages - this.#begun.pages) / seconds,
      leftMs: left === undefined || itemsPerSecond <= 0 ? undefined : (left / itemsPerSecond) * 1000,
    };
  }

  #sums(): { readonly pages: number; readonly items: number } {
    const lists = [...this.#lists.values()];
    const sum = (of: (list: StartPage) => number) => lists.reduce((total, list) => total + of(list), 0);
    return { pages: sum((list) => list.pages), items: sum((list) => list.urls) };
  }
}

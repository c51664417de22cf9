// The walker's hand on the partial run of its site. Every method is one transaction that first proves ownership: a page
// that was read is true with all that was on it, or it is read again.

import type { Clock, Instant } from '../../platform/clock.ts';
import type { LedgerTables } from '../ledger-tables.ts';
import type { FencingToken } from '../run-ownership.ts';
import type { UnsavedMemory } from '../run-writer.ts';
import type { NewListPage, StoredListPage } from './collected-url-table.ts';
import type { PaginationFailure, StartPage, StartPageProgress } from './partial-run-table.ts';

/** What is known of a list page, by what was read before it. Pages are told by their numbers in the list. */
export interface Recognised {
  /** The items that no earlier page had. */
  readonly fresh: readonly string[];
  /** The latest page with just these items. */
  readonly samePage: number | undefined;
  /** The page that was read at the address to which this one was redirected. */
  readonly landedOn: number | undefined;
  /** The page that the next link leads to, if it was read. */
  readonly nextPage: number | undefined;
  /** One of the further pages that this one links to and that was not read. */
  readonly unreadPage: string | undefined;
}

/** What a list page is recognised by. */
export interface PageMarks {
  readonly url: string;
  readonly landedUrl: string;
  readonly fingerprint: Uint8Array;
  readonly items: readonly string[];
  readonly nextUrl: string | undefined;
  readonly furtherPages: readonly string[];
}

export class WalkWriter {
  readonly site: string;
  readonly #token: FencingToken;
  readonly #tables: LedgerTables;
  readonly #clock: Clock;

  constructor(site: string, token: FencingToken, tables: LedgerTables, clock: Clock) {
    this.site = site;
    this.#token = token;
    this.#tables = tables;
    this.#clock = clock;
  }

  async startPages(): Promise<StartPage[]> {
    return this.#tables.sites.partialRuns.startPagesOf(this.site);
  }

  /** The page of that number, as it was read. */
  async page({ id }: StartPage, number: number): Promise<StoredListPage | undefined> {
    return this.#tables.sites.collected.page(id, number);
  }

  /** Whether any list page of this walk had the end of an HTML document. */
  async hasHtmlEnd(): Promise<boolean> {
    return this.#tables.sites.collected.hasHtmlEnd(this.site);
  }

  async recognise({ id }: StartPage, page: PageMarks): Promise<Recognised> {
    const { collected } = this.#tables.sites;
    const { url, landedUrl, nextUrl, furtherPages } = page;
    const isUnread = (further: string) => further !== url && further !== landedUrl && !collected.pageAt(id, further);
    return {
      fresh: collected.newAmong(id, page.items),
      samePage: collected.pageWith(id, page.fingerprint),
      landedOn: landedUrl === url ? undefined : collected.pageAt(id, landedUrl),
      nextPage: nextUrl === undefined ? undefined : collected.pageAt(id, nextUrl),
      unreadPage: furtherPages.find(isUnread),
    };
  }

  /** Forgets what the walk over a start page has found, and begins it anew. Its failures stay. */
  async startOver({ id, url }: StartPage): Promise<void> {
    this.#asOwner(() => {
      this.#tables.sites.collected.clear(id);
      this.#tables.sites.partialRuns.setProgress(id, { ...UNWALKED, nextUrl: url });
    });
  }

  /** Makes a page true with the items it adds, and where the walk stands with it. Without a page, only the latter. */
  async savePage(
    { id }: StartPage,
    page: (NewListPage & { readonly collect: readonly string[] }) | undefined,
    progress: StartPageProgress,
    memory: UnsavedMemory | undefined,
  ): Promise<void> {
    this.#asOwner((now) => {
      if (page !== undefined) {
        this.#tables.sites.collected.addPage(id, page);
        this.#tables.sites.collected.append(id, page.collect, page.page);
      }
      this.#tables.sites.partialRuns.setProgress(id, progress);
      this.#remember(memory, now);
    });
  }

  /** Forgets a list from a page on, so that the walk goes on at that page. Its number is that of a page that was read. */
  async goBack({ id, url, differed }: StartPage, number: number, memory: UnsavedMemory | undefined): Promise<void> {
    this.#asOwner((now) => {
      const { collected, partialRuns } = this.#tables.sites;
      const nextUrl = number === 1 ? url : (collected.page(id, number)?.url ?? url);
      const listed = collected.dropFrom(id, number);
      partialRuns.setProgress(id, { ...UNWALKED, pages: number - 1, listed, nextUrl, differed: differed + 1 });
      this.#remember(memory, now);
    });
  }

  /** Says why the walk does not get on. It stays where it is. */
  async giveUp({ id, ...page }: StartPage, reason: string): Promise<void> {
    this.#asOwner(() => this.#tables.sites.partialRuns.setProgress(id, { ...page, reason }));
  }

  /** A request for a list page that brought none. */
  async saveFailure(
    { id }: StartPage,
    failure: Omit<PaginationFailure, 'at'>,
    memory: UnsavedMemory | undefined,
  ): Promise<void> {
    this.#asOwner((at) => {
      const { partialRuns } = this.#tables.sites;
      const failures = partialRuns.startPagesOf(this.site).find((page) => page.id === id)?.failureCount ?? 0;
      partialRuns.setFailureCount(id, failures + 1);
      partialRuns.addFailure(id, { ...failure, at });
      this.#remember(memory, at);
    });
  }

  /** Shows other processes that this one is alive. */
  async heartbeat(memory: UnsavedMemory | undefined): Promise<void> {
    this.#asOwner((now) => this.#remember(memory, now));
  }

  /** Gives the site back. Without effect when it was taken over. */
  async release(): Promise<void> {
    this.#tables.sites.ownership.release(this.site, this.#token);
  }

  #remember(memory: UnsavedMemory | undefined, now: Instant): void {
    if (memory === undefined) return;
    const { hosts, sites } = this.#tables;
    if (memory.sessions !== undefined) sites.partialRuns.saveCookies(this.site, memory.sessions);
    hosts.remember(memory, now);
    for (const { kind, ...data } of memory.events) sites.events.add(this.site, { kind, data }, now);
  }

  #asOwner(work: (now: Instant) => void): void {
    const now = this.#clock.now();
    try {
      this.#tables.database.transaction(() => {
        this.#tables.sites.ownership.assertOwner(this.site, this.#token, now);
        work(now);
      });
    } catch (error) {
      this.#tables.hosts.forget();
      throw error;
    }
  }
}

/** Where a start page stands before its first page is read. */
export const UNWALKED = {
  completed: false,
  pages: 0,
  listed: 0,
  statedTotal: undefined,
  reason: undefined,
  ended: undefined,
  rechecked: 0,
  differed: 0,
} as const;

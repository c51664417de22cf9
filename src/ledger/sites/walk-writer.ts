// The walker's hand on the partial run of its site. Every method is one transaction that first proves ownership: a page
// that was read is true with all that was on it, or it is read again.

import type { Clock, Instant } from '../../platform/clock.ts';
import type { LedgerTables } from '../ledger-tables.ts';
import type { FencingToken } from '../run-ownership.ts';
import type { UnsavedMemory } from '../run-writer.ts';
import type { PaginationFailure, StartPage, StartPageProgress } from './partial-run-table.ts';

/** What is known of a list page, by what was read before it. */
export interface Recognised {
  /** Just these items stood on an earlier page. */
  readonly isRepetition: boolean;
  /** The items that no earlier page had. */
  readonly fresh: readonly string[];
  /** The next page was read already. */
  readonly nextIsKnown: boolean;
}

/** A list page that was read. */
export interface ReadListPage {
  readonly url: string;
  readonly fingerprint: Uint8Array;
  /** The items to collect. */
  readonly collect: readonly string[];
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

  async recognise(
    { id }: StartPage,
    page: { readonly fingerprint: Uint8Array; readonly items: readonly string[]; readonly nextUrl: string | undefined },
  ): Promise<Recognised> {
    const { collected } = this.#tables.sites;
    return {
      isRepetition: collected.hasFingerprint(id, page.fingerprint),
      fresh: collected.newAmong(id, page.items),
      nextIsKnown: page.nextUrl !== undefined && collected.hasPage(id, page.nextUrl),
    };
  }

  /** Forgets what the walk over a start page has found, and begins it anew. Its failures stay. */
  async startOver({ id, url }: StartPage): Promise<void> {
    this.#asOwner(() => {
      this.#tables.sites.collected.clear(id);
      this.#tables.sites.partialRuns.setProgress(id, { ...UNWALKED, nextUrl: url });
    });
  }

  /** Makes a page true, and where the walk stands with it. */
  async savePage(
    { id }: StartPage,
    page: ReadListPage,
    progress: StartPageProgress,
    memory: UnsavedMemory | undefined,
  ): Promise<void> {
    this.#asOwner((now) => {
      this.#tables.sites.collected.addPage(id, page.url, page.fingerprint);
      this.#tables.sites.collected.append(id, page.collect);
      this.#tables.sites.partialRuns.setProgress(id, progress);
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

const UNWALKED = {
  completed: false,
  pages: 0,
  listed: 0,
  statedTotal: undefined,
  reason: undefined,
} as const;

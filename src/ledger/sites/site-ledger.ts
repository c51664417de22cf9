// What the ledger knows of sites. Every method is one transaction. A commit turns a partial run into a run with all its
// items, or leaves everything as it was.

import type { Clock, Instant } from '../../platform/clock.ts';
import { crashPoint } from '../../platform/crash-point.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import type { Json } from '../../platform/json.ts';
import { type ProcessIdentity, thisProcess } from '../../platform/process-identity.ts';
import { CountChanges } from '../count-table.ts';
import type { LedgerTables } from '../ledger-tables.ts';
import type { NewRequest } from '../page-result.ts';
import type { NewRun, RunId } from '../run.ts';
import type { PaginationFailure, StartPage, StartPageId, StoredPartialRun } from './partial-run-table.ts';
import type { ProxyBlock } from './proxy-block-table.ts';
import type { SiteItem } from './site-item-table.ts';
import type { StoredSite } from './site-table.ts';
import { UNWALKED, WalkWriter } from './walk-writer.ts';

/** What changes of a start page; absent fields stay as they are. */
export interface StartPageUpdate {
  readonly collectedUrls?: readonly string[];
  readonly failureCount?: number;
  readonly failures?: readonly PaginationFailure[];
  readonly completed?: boolean;
}

/** How a partial run becomes a run. */
export interface RunPlan {
  readonly run: NewRun;
  /** The request of an item. */
  readonly request: (url: string) => NewRequest;
  /** Whether a list must still have what it had in the run before. */
  readonly keepsItems: (startPage: StartPage) => boolean;
  /** A hash of how the lists are read; undefined when that is not known. */
  readonly definition: string | undefined;
}

/** A walk that was taken. */
export interface TakenWalk {
  readonly writer: WalkWriter;
  /** What was thrown away, since it was walked with another definition; undefined when nothing was. */
  readonly thrownAway: StoredPartialRun | undefined;
}

export class SiteLedger {
  readonly #tables: LedgerTables;
  readonly #clock: Clock;

  constructor(tables: LedgerTables, clock: Clock) {
    this.#tables = tables;
    this.#clock = clock;
  }

  async declare(site: StoredSite): Promise<void> {
    this.#transaction(() => this.#tables.sites.sites.save(site));
  }

  async site(id: string): Promise<StoredSite | undefined> {
    return this.#tables.sites.sites.find(id);
  }

  /** By domain. */
  async sites(): Promise<StoredSite[]> {
    return this.#tables.sites.sites.list();
  }

  /** Begins a partial run over these start pages, or goes on with the one there is: start pages keep their progress. */
  async start(site: string, startPages: readonly string[]): Promise<void> {
    this.#transaction((now) => this.#begin(site, startPages, now));
  }

  async partialRun(site: string): Promise<StoredPartialRun | undefined> {
    return this.#tables.sites.partialRuns.find(site);
  }

  /** Oldest first. */
  async partialRuns(): Promise<StoredPartialRun[]> {
    const { partialRuns } = this.#tables.sites;
    return partialRuns.sites().flatMap((site) => partialRuns.find(site) ?? []);
  }

  /** The URLs that the walk over a start page has collected. */
  async collectedOf(startPage: StartPageId): Promise<string[]> {
    return [...this.#tables.sites.collected.of(startPage)];
  }

  /** The latest failures of a start page, oldest first. */
  async failuresOf(startPage: StartPageId): Promise<PaginationFailure[]> {
    return this.#tables.sites.partialRuns.failuresOf(startPage);
  }

  /** Merges `update` into the start page of that address, of that site if one is given. Throws `start_page`. */
  async update(url: string, update: StartPageUpdate, site?: string): Promise<void> {
    const { partialRuns, collected } = this.#tables.sites;
    this.#transaction(() => {
      const found = partialRuns.startPagesAt(url).filter(({ siteId }) => site === undefined || site === siteId);
      const [one, another] = found;
      if (one === undefined) throw unknownStartPage(url);
      if (another !== undefined) throw ambiguousStartPage(url, [one.siteId, another.siteId]);
      const { id, ...page } = one.page;
      if (update.collectedUrls !== undefined) collected.replace(id, update.collectedUrls);
      if (update.completed !== undefined) partialRuns.setProgress(id, { ...page, completed: update.completed });
      if (update.failureCount !== undefined) partialRuns.setFailureCount(id, update.failureCount);
      if (update.failures !== undefined) {
        partialRuns.dropFailures(id);
        for (const failure of update.failures) partialRuns.addFailure(id, failure);
      }
    });
  }

  /**
   * Begins a partial run as `start` does, with this process as its walker: whoever sees the one sees the other. What was
   * walked with another definition is thrown away. Throws `run_owned` when another process walks the site.
   */
  async takeWalk(site: string, startPages: readonly string[], settings: Json, definition: string): Promise<TakenWalk> {
    const { ownership, partialRuns } = this.#tables.sites;
    const { token, thrownAway } = this.#transaction((now) => {
      const taken = ownership.take(site, thisProcess(), now);
      const kept = partialRuns.find(site);
      const isOther = kept !== undefined && kept.definition !== definition && kept.startPages.some(isBegun);
      if (isOther) for (const page of kept.startPages) this.#forget(page);
      this.#begin(site, startPages, now);
      partialRuns.saveSettings(site, settings);
      partialRuns.saveDefinition(site, definition);
      return { token: taken, thrownAway: isOther ? kept : undefined };
    });
    return { writer: new WalkWriter(site, token, this.#tables, this.#clock), thrownAway };
  }

  /** Throws the partial run of a site away, and gives what it was. Throws `run_owned` when a process walks the site. */
  async discard(site: string): Promise<StoredPartialRun | undefined> {
    const { ownership, partialRuns } = this.#tables.sites;
    return this.#transaction((now) => {
      const partial = partialRuns.find(site);
      if (partial === undefined) return undefined;
      ownership.release(site, ownership.take(site, thisProcess(), now));
      partialRuns.remove(site);
      return partial;
    });
  }

  /** The living process that walks the site. */
  async holderOf(site: string): Promise<ProcessIdentity | undefined> {
    return this.#tables.sites.ownership.holderOf(site, this.#clock.now());
  }

  /** What fetching remembered: cookies of the walk, breaker and rate of each host, robots.txt of each origin. */
  async fetchMemory(
    site: string,
  ): Promise<{ sessions: Json; hosts: ReadonlyMap<string, Json>; robots: ReadonlyMap<string, Json> }> {
    const { hosts, sites } = this.#tables;
    return { sessions: sites.partialRuns.cookiesOf(site), hosts: hosts.states(), robots: hosts.robots() };
  }

  /**
   * Creates the run with all its items and clears the partial run. `check` throws unless the partial run may be
   * committed. Whatever fails, nothing has happened.
   */
  async commit(
    site: string,
    plan: RunPlan,
    check: (partial: StoredPartialRun | undefined) => StoredPartialRun,
  ): Promise<{ readonly run: RunId; readonly items: number }> {
    const { runs, counts, sites } = this.#tables;
    try {
      const committed = this.#transaction((now) => {
        const { startPages } = check(sites.partialRuns.find(site));
        const kept = startPages.filter((page) => plan.keepsItems(page));
        const run = runs.create(plan.run, now);
        const changes = new CountChanges();
        let items = 0;
        for (const { id, url: startPage, ordinal } of startPages) {
          for (const url of sites.collected.of(id)) {
            if (this.#addItem(run, plan.request(url), { url: startPage, ordinal }, changes)) items++;
          }
        }
        counts.add(run, changes, now);
        sites.missing.note(
          site,
          run,
          kept.map(({ url }) => url),
        );
        runs.saveSessions(run, sites.partialRuns.cookiesOf(site));
        sites.events.handOver(site, run);
        sites.partialRuns.remove(site);
        crashPoint('before-commit');
        return { run, items };
      });
      crashPoint('after-commit');
      return committed;
    } catch (error) {
      this.#tables.hosts.forget();
      this.#tables.requests.forget();
      throw error;
    }
  }

  /** How many items the runs of the site before had, and this one has not. */
  async countMissing(run: RunId): Promise<number> {
    return this.#tables.sites.missing.of(run, 0).count;
  }

  /** Where the items of a run came from. */
  async itemsOf(run: RunId): Promise<SiteItem[]> {
    return this.#tables.sites.items.of(run);
  }

  /** Lets a proxy rest for this site. */
  async block(site: string, proxy: string, error: string): Promise<void> {
    this.#transaction((now) => this.#tables.sites.blocks.add(site, proxy, error, now));
  }

  /** The proxies that rest for this site, the oldest failure first. Those whose cooldown has passed are gone, or dropped. */
  async blocked(site: string, cooldownMs: number, how: 'drop' | 'look'): Promise<ProxyBlock[]> {
    const { blocks } = this.#tables.sites;
    const over = this.#clock.now() - cooldownMs;
    if (how === 'drop') this.#transaction(() => blocks.dropUpTo(site, over));
    return blocks.after(site, over);
  }

  #begin(site: string, startPages: readonly string[], now: Instant): void {
    const { partialRuns } = this.#tables.sites;
    partialRuns.begin(site, now);
    partialRuns.setStartPages(site, [...new Set(startPages)]);
  }

  #forget({ id, url }: StartPage): void {
    this.#tables.sites.collected.clear(id);
    this.#tables.sites.partialRuns.setProgress(id, { ...UNWALKED, nextUrl: url });
  }

  /** True when the run did not have the item yet. */
  #addItem(
    run: RunId,
    request: NewRequest,
    startPage: { readonly url: string; readonly ordinal: number },
    changes: CountChanges,
  ): boolean {
    const { hosts, requests, sites } = this.#tables;
    const hostId = hosts.idOf(request.host);
    const isNew = requests.add(run, hostId, request, undefined);
    if (isNew) changes.add(hostId, 'pending', 1);
    const fate = requests.fateOf(run, request.identity);
    if (fate !== undefined) sites.items.add(run, fate.id, startPage);
    return isNew;
  }

  #transaction<T>(work: (now: Instant) => T): T {
    const now = this.#clock.now();
    return this.#tables.database.transaction(() => work(now));
  }
}

function isBegun({ pages, urls, completed }: StartPage): boolean {
  return pages > 0 || urls > 0 || completed;
}

function unknownStartPage(url: string): CurlewError {
  return new CurlewError(ErrorCode.startPage, `No partial run has the start page ${url}.`, {
    remedy: 'Begin with startPagination, and name start pages as they were given there.',
  });
}

function ambiguousStartPage(url: string, sites: readonly string[]): CurlewError {
  return new CurlewError(ErrorCode.startPage, `Several sites have the start page ${url}: ${sites.join(', ')}.`, {
    remedy: 'Name the site too.',
  });
}

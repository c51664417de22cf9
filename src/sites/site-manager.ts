// Runs that are complete or not there at all, and proxies that rest. Everything is in the ledger, so it outlives the
// process; every call is one transaction.

import { proxyName } from '../fetch/proxy/proxy-name.ts';
import type { StartPage, StoredPartialRun } from '../ledger/sites/partial-run-table.ts';
import type { RunPlan, SiteLedger } from '../ledger/sites/site-ledger.ts';
import { redactSecrets } from '../observe/redact.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import type { Json } from '../platform/json.ts';
import { didYouMean } from '../platform/nearest.ts';
import { assertCommittable } from './assert-committable.ts';
import type { PaginationState, PaginationUpdate, PartialScrapeRun, ScrapeRun } from './pagination-state.ts';
import { ProxyBlocklist } from './proxy-blocklist.ts';
import { readStartPages, readUpdate } from './read-pagination.ts';
import { readSiteConfig, type SiteConfig, storableConfig } from './site-config.ts';

export interface SiteManagerOptions {
  readonly ledger: SiteLedger;
  /** How the partial run of a site becomes a run. */
  readonly planRun: (siteId: string) => RunPlan;
}

/** The sites of a data directory: what was walked of them, what became of it, which of their proxies rest. */
export class SiteManager {
  readonly #ledger: SiteLedger;
  readonly #blocklist: ProxyBlocklist;
  readonly #planRun: (siteId: string) => RunPlan;

  /** @internal Opened by `openSiteManager`. */
  constructor(options: SiteManagerOptions) {
    this.#ledger = options.ledger;
    this.#blocklist = new ProxyBlocklist(options.ledger);
    this.#planRun = options.planRun;
  }

  /** Makes a site known, or its latest config. `source` is the file it was loaded from. */
  async addSite(config: SiteConfig, source?: string): Promise<void> {
    const stored = JSON.parse(JSON.stringify(storableConfig(config))) as Json;
    await this.#ledger.declare({ id: config.domain, source, config: stored });
  }

  /**
   * Begins the partial run of a site. One that exists is kept: start pages that are named again keep their progress, new
   * ones are added, those that are not named any more go. Throws `usage` without a start page, for one that is no absolute
   * address, and for a site that is not known.
   */
  async startPagination(
    siteId: string,
    startPages: Iterable<string> | AsyncIterable<string>,
  ): Promise<PartialScrapeRun> {
    const pages = await readStartPages(siteId, startPages);
    if ((await this.#ledger.site(siteId)) === undefined) throw await this.#unknownSite(siteId);
    await this.#ledger.start(siteId, pages);
    const partial = await this.getPartialRun(siteId);
    if (partial === undefined) throw new CurlewError(ErrorCode.internal, `The partial run of ${siteId} is gone.`);
    return partial;
  }

  /**
   * Merges `update` into the state of a start page; `collectedUrls` replaces what was collected. Throws `start_page` when
   * no partial run has that start page, or when several sites have it and none is named; `usage` for an update that is none.
   */
  async updatePaginationState(startPageUrl: string, update: PaginationUpdate, siteId?: string): Promise<void> {
    const { collectedUrls, failureCount, failureHistory, completed } = readUpdate(startPageUrl, update);
    const failures = failureHistory?.map(({ timestamp, proxy, error }) => ({
      at: timestamp.getTime(),
      proxy: proxy === '' ? '' : proxyName(proxy),
      error: redactSecrets(error),
    }));
    const given = {
      ...(collectedUrls !== undefined && { collectedUrls }),
      ...(failureCount !== undefined && { failureCount }),
      ...(failures !== undefined && { failures }),
      ...(completed !== undefined && { completed }),
    };
    await this.#ledger.update(startPageUrl, given, siteId);
  }

  /** What was walked of a site and is not yet committed. */
  async getPartialRun(siteId: string): Promise<PartialScrapeRun | undefined> {
    const stored = await this.#ledger.partialRun(siteId);
    return stored === undefined ? undefined : this.#readPartialRun(stored);
  }

  /**
   * Makes the partial run of a site a run with all its items, in one transaction that also clears the partial run. Throws
   * `no_partial_run`, `empty_pagination` or `incomplete_pagination`, and whatever the ledger throws; the partial run then
   * stays as it is.
   */
  async commitPartialRun(siteId: string): Promise<ScrapeRun> {
    const plan = this.#planRun(siteId);
    const check = (partial: StoredPartialRun | undefined) => assertCommittable(siteId, partial, plan.definition);
    const { run, items } = await this.#ledger.commit(siteId, plan, check);
    return { id: run, siteId, items };
  }

  /** Lets a proxy rest for a site. Without effect for a site that is not known, and for other than its datacenter proxies. */
  async addProxyToBlocklist(domain: string, proxy: string, error: string): Promise<void> {
    await this.#blocklist.add(domain, proxy, error);
  }

  /** The names of the proxies that rest for a site. Empty for a site that is not known. */
  async getBlockedProxies(domain: string): Promise<string[]> {
    return (await this.#blocklist.entries(domain)).map(({ proxy }) => proxy);
  }

  /** Copies of what is known of all sites, with the names of their resting proxies unless that is not wanted. */
  async getSiteConfigs(includeBlockedProxies = true): Promise<SiteConfig[]> {
    const configs = (await this.#ledger.sites()).map(({ config }) => readSiteConfig(config));
    if (!includeBlockedProxies) return configs;
    const blocked = configs.map(async (config) => {
      return { ...config, blockedProxies: await this.getBlockedProxies(config.domain) };
    });
    return Promise.all(blocked);
  }

  async #unknownSite(siteId: string): Promise<CurlewError> {
    const names = (await this.#ledger.sites()).map(({ id }) => id);
    return new CurlewError(ErrorCode.usage, `There is no site ${siteId} in this data directory.`, {
      remedy: `${didYouMean(siteId, names)}Make it known first: give its definition to openSiteManager, or call addSite.`,
    });
  }

  async #readPartialRun({ siteId, createdAt, startPages }: StoredPartialRun): Promise<PartialScrapeRun> {
    const states = await Promise.all(startPages.map((page) => this.#readState(page)));
    return {
      siteId,
      paginationStates: new Map(states.map((state) => [state.startPageUrl, state])),
      totalUrlsCollected: startPages.reduce((sum, { urls }) => sum + urls, 0),
      createdAt: new Date(createdAt),
      committedToDb: false,
    };
  }

  async #readState({ id, url, failureCount, completed }: StartPage): Promise<PaginationState> {
    const failures = await this.#ledger.failuresOf(id);
    return {
      startPageUrl: url,
      collectedUrls: await this.#ledger.collectedOf(id),
      failureCount,
      failureHistory: failures.map(({ at, proxy, error }) => ({ timestamp: new Date(at), proxy, error })),
      completed,
    };
  }
}

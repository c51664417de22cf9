// The public API, nothing else.

export { openSiteManager, type SiteManagerOptions } from './engine/open-sites.ts';
export {
  type ReplayOptions,
  type ResumeOptions,
  type RunHandle,
  type RunOptions,
  replay,
  resume,
  run,
} from './engine/run.ts';
export type { SettingsInput } from './engine/settings.ts';
export {
  commitSite,
  type WalkEnd,
  type WalkHandle,
  type WalkSiteOptions,
  walkSite,
  workSite,
} from './engine/walk-site.ts';
export type { FetchedExchange, Outcome } from './fetch/outcome.ts';
export type { Health, RunStatus } from './ledger/health.ts';
export type { StoredRecord } from './ledger/record-table.ts';
export type { RunId, RunSummary } from './ledger/run.ts';
export type { Verdict, VerdictCounts } from './ledger/verdict.ts';
export { type MirrorFetchSettings, runScrape, type ScrapeOptions } from './mirror/run-scrape.ts';
export type { ResumeStrategy, RunSummary as MirrorRunSummary, ScrapeParams } from './mirror/scrape-params.ts';
export type { ScrapeProgress } from './mirror/scrape-progress.ts';
export { type SyncOptions, syncSource } from './mirror/sync-source.ts';
export { CurlewError, ErrorCode } from './platform/errors.ts';
export type { Json } from './platform/json.ts';
export type { ScraperDescription } from './scraper/describe.ts';
export { type Entry, type EntryRequests, entry } from './scraper/entry.ts';
export { Form } from './scraper/page/form.ts';
export { Link } from './scraper/page/link.ts';
export { Page } from './scraper/page/page.ts';
export { SavedFile } from './scraper/page/saved-file.ts';
export { Element } from './scraper/page/scope.ts';
export { css, xpath } from './scraper/page/selector.ts';
export { StructureError } from './scraper/page/structure-error.ts';
export { record, type ScrapedRecord } from './scraper/record.ts';
export {
  download,
  get,
  type PostBody,
  post,
  type Request,
  type RequestOptions,
  type Target,
  type Yielded,
} from './scraper/request.ts';
export { type AnyScraperParams, Scraper, type ScraperParams } from './scraper/scraper.ts';
export {
  type MissOutcome,
  type Partition,
  type SpeculateDecorator,
  type SpeculateOptions,
  type Speculator,
  speculate,
} from './scraper/speculate.ts';
export type { SpeculatorParams } from './scraper/speculation-params.ts';
export { defineSite, type ListInput, type SiteDefinition, type SiteInput } from './sites/define-site.ts';
export type { PaginationState, PartialScrapeRun, ScrapeRun } from './sites/pagination-state.ts';
export type { ProxyBlocklistEntry } from './sites/proxy-blocklist.ts';
export type { ProxyStrategy } from './sites/proxy-strategy.ts';
export type { SiteConfig } from './sites/site-config.ts';
export type { SiteManager } from './sites/site-manager.ts';

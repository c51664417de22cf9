// The public API, nothing else.

export { openSiteManager, type SiteManagerOptions } from './engine/open-sites.ts';
export type { WalkStart } from './engine/plan-walks.ts';
export type { HostRate, RunProgress } from './engine/progress.ts';
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
export type { WalkProgress } from './engine/walk-progress.ts';
export {
  commitSite,
  type WalkEnd,
  type WalkHandle,
  type WalkSiteOptions,
  walkSite,
  workSite,
} from './engine/walk-site.ts';
export type { HostWait } from './fetch/host-wait.ts';
export type { Patience } from './fetch/patience.ts';
export { proxyName } from './fetch/proxy/proxy-name.ts';
export type { ProxyServer } from './fetch/proxy/proxy-server.ts';
export type { EntryCoverage, EntryKind } from './ledger/coverage/entry-coverage.ts';
export type { Health, RunStatus } from './ledger/health.ts';
export type { CaseId } from './ledger/mirror/case-row.ts';
export type { VersionId } from './ledger/mirror/csv-version.ts';
export type { Mode as MirrorMode } from './ledger/mirror/mirror-run.ts';
export type { NewRecord } from './ledger/page-result.ts';
export type { Observed } from './ledger/probe.ts';
export type { StoredRecord } from './ledger/record-table.ts';
export type { AcceptRule, RequestBody } from './ledger/request-spec.ts';
export type { Cause, RunId, RunSummary, Trigger } from './ledger/run.ts';
export type { StartPage, StartPageId, StoredPartialRun } from './ledger/sites/partial-run-table.ts';
export type { MissingItems } from './ledger/sites/site-missing-table.ts';
export type { SpeculationSummary, WalkSummary } from './ledger/summarise-walks.ts';
export type { Verdict, VerdictCounts } from './ledger/verdict.ts';
export type { Environment as MirrorEnvironment } from './mirror/config/mirror-config.ts';
export type { Entrypoint as MirrorEntrypoint } from './mirror/config/validate-runtime-config.ts';
export type { CsvSyncResult } from './mirror/csv/csv-sync-result.ts';
export type { DuplicateToken, UnreadableRow } from './mirror/csv/read-index.ts';
export { runScrape, syncSource } from './mirror/on-demand.ts';
export type { MirrorFetchSettings, ScrapeOptions } from './mirror/scrape-options.ts';
export type { ResumeStrategy, ScrapeParams } from './mirror/scrape-params.ts';
export type { ScrapeProgress } from './mirror/scrape-progress.ts';
export type { MirrorRunSummary } from './mirror/summarise-run.ts';
export type { SyncOptions } from './mirror/sync-source.ts';
export type { Instant } from './platform/clock.ts';
export { CurlewError, type CurlewErrorOptions, ErrorCode } from './platform/errors.ts';
export type { Json } from './platform/json.ts';
export { type Accept, type AcceptFunction, minBytes, notHtml, pdf } from './scraper/accept.ts';
export type { JsonSchema, ScraperDescription, SpeculatorDescription } from './scraper/describe.ts';
export { type Entry, type EntryRequests, entry } from './scraper/entry.ts';
export type { Bounds } from './scraper/page/bounds.ts';
export { type FilledForm, Form, type FormValues, type SubmitOptions } from './scraper/page/form.ts';
export type { FormFields } from './scraper/page/form-encoding.ts';
export { Link } from './scraper/page/link.ts';
export { Page, type PageSource } from './scraper/page/page.ts';
export { SavedFile, type SavedFileSource } from './scraper/page/saved-file.ts';
export { Element, type Scope } from './scraper/page/scope.ts';
export { css, type MarkedSelector, type Selector, xpath } from './scraper/page/selector.ts';
export { type PageReference, StructureError, type StructureProblem } from './scraper/page/structure-error.ts';
export { record, type ScrapedRecord } from './scraper/record.ts';
export {
  type Addressed,
  type AddressReader,
  type AfterSignedStep,
  type AnyStep,
  type DownloadTarget,
  download,
  type FileOptions,
  type FormSubmission,
  get,
  type Handed,
  type JsonBody,
  type PostBody,
  post,
  type Request,
  type RequestOptions,
  type SentForm,
  type Step,
  type Target,
  type Yielded,
} from './scraper/request.ts';
export { type AnyScraperParams, Scraper, type ScraperParams } from './scraper/scraper.ts';
export {
  type Session,
  type SessionOpening,
  type SessionOptions,
  type SessionValue,
  type SessionValues,
  session,
} from './scraper/session.ts';
export {
  type MissOutcome,
  type Partition,
  type PartitionValues,
  type SpeculateDecorator,
  type SpeculateOptions,
  type Speculator,
  speculate,
} from './scraper/speculate.ts';
export type { SpeculatorNames, SpeculatorParams } from './scraper/speculation-params.ts';
export type { StandardSchema } from './scraper/standard-schema.ts';
export {
  defineSite,
  type ListInput,
  type ListOptions,
  type NextOnLastPage,
  type PageStepOf,
  type Recheck,
  type ScraperClassOf,
  type SiteDefinition,
  type SiteInput,
} from './sites/define-site.ts';
export type {
  FailedPagination,
  PaginationState,
  PaginationUpdate,
  PartialScrapeRun,
  ScrapeRun,
} from './sites/pagination-state.ts';
export type { ProxyBlocklistEntry } from './sites/proxy-blocklist.ts';
export type { ProxyStrategy } from './sites/proxy-strategy.ts';
export type { SiteConfig } from './sites/site-config.ts';
export type { SiteManager } from './sites/site-manager.ts';

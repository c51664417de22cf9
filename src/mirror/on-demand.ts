// The mirror as the package gives it to others. It is loaded with the first call: a scraper imports the package too, and
// should not pay for what it does not use.

import type { CsvSyncResult } from './csv/csv-sync-result.ts';
import type { ScrapeOptions } from './scrape-options.ts';
import type { ScrapeParams } from './scrape-params.ts';
import type { MirrorRunSummary } from './summarise-run.ts';
import type { SyncOptions } from './sync-source.ts';

/**
 * Brings the index up to date and fetches what the parameters ask for. Resolves also when the run was stopped, ran out of
 * disk or found the site changed: the run's status and error summary say so. Rejects with `config_invalid`,
 * `unknown_source` and `run_owned` before anything is begun, and with `no_index` and faults of the data directory after the
 * run was recorded as failed.
 */
export async function runScrape(params: ScrapeParams, options?: ScrapeOptions): Promise<MirrorRunSummary> {
  return (await import('./run-scrape.ts')).runScrape(params, options);
}

/**
 * Brings the cases up to the index, and fetches no file. Throws `no_index` when the index cannot be used and there is no
 * earlier version of it.
 */
export async function syncSource(options?: SyncOptions): Promise<CsvSyncResult> {
  return (await import('./sync-source.ts')).syncSource(options);
}

// Brings the cases of a source up to its index, and fetches no file.

import { PATIENT } from '../fetch/patience.ts';
import { Ledger } from '../ledger/ledger.ts';
import { systemClock } from '../platform/clock.ts';
import { systemRandom } from '../platform/random.ts';
import { validateRuntimeConfig } from './config/validate-runtime-config.ts';
import type { CsvSyncResult } from './csv/csv-sync-result.ts';
import { syncCsv } from './csv/sync-csv.ts';
import { eventSink } from './events/event-sink.ts';
import { ScraperLog } from './events/scraper-log.ts';
import { mirrorDirectory } from './mirror-directory.ts';
import { withoutRun } from './open-pipeline.ts';
import type { ScrapeOptions } from './scrape-options.ts';
import { SOURCES } from './sources/source-registry.ts';

/** Which index to bring up to date, and how. */
export interface SyncOptions extends Omit<ScrapeOptions, 'client' | 'onProgress'> {
  /** Id of a source. Default: the first there is. */
  readonly targetSource?: string | undefined;
  /** Take over an index in which more than 20 % of the active cases are gone. Default false. */
  readonly acceptShrink?: boolean | undefined;
}

/** See `on-demand.ts`, by which the package exports it. */
export async function syncSource(options: SyncOptions = {}): Promise<CsvSyncResult> {
  const { env = process.env, world = {}, acceptShrink = false, patience: given = PATIENT } = options;
  const { config } = validateRuntimeConfig(options.entrypoint ?? 'cli', undefined, env);
  const source = (options.sources ?? SOURCES).require(options.targetSource);
  const { clock = systemClock, random = systemRandom } = world;
  const directory = mirrorDirectory(options.data ?? env.CURLEW_DATA ?? './curlew-data');
  const ledger = await Ledger.open(directory.path, { clock });
  const log = ScraperLog.open(directory.logs, clock);
  try {
    const emit = eventSink(ledger.mirror, log);
    return await withoutRun(ledger, { config, clock, random, options }, given, (pipeline, patience) => {
      const context = {
        source,
        config,
        directory,
        files: world.files,
        pipeline,
        clock,
        emit,
        log,
        patience,
        acceptShrink,
      };
      return syncCsv({ ...context, ledger: ledger.mirror });
    });
  } finally {
    log.close();
    await ledger.close();
  }
}

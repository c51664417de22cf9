import type { Command } from 'commander';
import { loadScraperOrSite, loadSite } from '../engine/load-scraper.ts';
import { readable } from '../ledger/run.ts';
import type { AnyScraperParams } from '../scraper/scraper.ts';
import { driveRun } from './drive-run.ts';
import { lookAtData } from './look-at-data.ts';
import {
  addDataOption,
  addJsonOption,
  addResumedFetchOptions,
  addRunArgument,
  type DataOption,
  type FetchOptions,
  type JsonOption,
  settingsFrom,
} from './options.ts';
import { sourceOf } from './source-of.ts';

type Options = DataOption & JsonOption & FetchOptions & { readonly file?: string; readonly refetchLost?: boolean };

export function define(command: Command): Command {
  addRunArgument(command)
    .option('--file <scraper.ts>', 'the scraper, if it has moved since the run was begun')
    .option('--refetch-lost', 'fetch pages again whose bytes the archive has lost');
  addResumedFetchOptions(command);
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew resume latest')
    .action(async (reference: number | 'latest', options: Options) => {
      const begun = readable(await lookAtData(options.data, (ledger) => ledger.run(reference)));
      const source = await sourceOf(begun, options.file);
      const { data, refetchLost = false } = options;
      const given = { ...settingsFrom(options), data, run: begun.id, refetchLost };
      if (begun.kind === 'site') {
        const { workSite } = await import('../engine/walk-site.ts');
        await driveRun(workSite(await loadSite(source), given), options);
        return;
      }
      const ScraperClass = await loadScraperOrSite(source);
      const scraper = new ScraperClass(begun.params as unknown as AnyScraperParams);
      const { resume } = await import('../engine/run.ts');
      await driveRun(resume(scraper, given), options);
    });
}

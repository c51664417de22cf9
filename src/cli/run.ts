import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadScraper } from '../engine/load-scraper.ts';
import { nothingObserved } from '../engine/observations.ts';
import { driveRun } from './drive-run.ts';
import { hasData } from './look-at-data.ts';
import {
  addDataOption,
  addFetchOptions,
  addJsonOption,
  addTriggerOption,
  collect,
  type DataOption,
  type FetchOptions,
  type JsonOption,
  settingsFrom,
  type TriggerOption,
} from './options.ts';
import { type EntryOptions, readEntryOptions } from './read-entry-options.ts';
import {
  addSpeculationOptions,
  type SpeculationOptions,
  speculativeFrom,
  walkStartFrom,
} from './speculation-options.ts';

type Options = DataOption & JsonOption & FetchOptions & EntryOptions & SpeculationOptions & TriggerOption;

export function define(command: Command): Command {
  command
    .argument('<scraper.ts>', 'file that exports a scraper as default')
    .option('--entry <name>', 'run only this entry; repeatable', collect)
    .option('--param <name=value>', 'parameter for the entry; repeatable', collect);
  addSpeculationOptions(command);
  addFetchOptions(command);
  addDataOption(command);
  addJsonOption(command);
  addTriggerOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew run court.ts --entry recent --param since=2026-01-01 --rate 2')
    .action(async (file: string, options: Options) => {
      const ScraperClass = await loadScraper(file);
      const description = ScraperClass.describe();
      const entries = readEntryOptions(description, options);
      const params = { ...entries, speculative: speculativeFrom(options) };
      const source = resolve(file);
      const walkFrom = walkStartFrom(options);
      if (walkFrom !== 'declared' && !hasData(options.data)) throw nothingObserved(description.name);
      const { run } = await import('../engine/run.ts');
      await driveRun(
        run(new ScraperClass(params), {
          ...settingsFrom(options),
          data: options.data,
          source,
          trigger: options.trigger,
          walkFrom,
        }),
        options,
      );
    });
}

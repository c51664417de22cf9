import { resolve } from 'node:path';
import type { Command } from 'commander';
import { run } from '../engine/run.ts';
import { driveRun } from './drive-run.ts';
import { loadScraper } from './load-scraper.ts';
import {
  addDataOption,
  addFetchOptions,
  addJsonOption,
  collect,
  type DataOption,
  type FetchOptions,
  type JsonOption,
  settingsFrom,
} from './options.ts';
import { type EntryOptions, readEntryOptions } from './read-entry-options.ts';
import {
  addSpeculationOptions,
  type SpeculationOptions,
  speculativeFrom,
  walkStartFrom,
} from './speculation-options.ts';

type Options = DataOption & JsonOption & FetchOptions & EntryOptions & SpeculationOptions;

export function define(command: Command): Command {
  command
    .argument('<scraper.ts>', 'file that exports a scraper as default')
    .option('--entry <name>', 'run only this entry; repeatable', collect)
    .option('--param <name=value>', 'parameter for the entry; repeatable', collect);
  addSpeculationOptions(command);
  addFetchOptions(command);
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew run court.ts --entry recent --param since=2026-01-01 --rate 2')
    .action(async (file: string, options: Options) => {
      const ScraperClass = await loadScraper(file);
      const entries = readEntryOptions(ScraperClass.describe(), options);
      const params = { ...entries, speculative: speculativeFrom(options) };
      const source = resolve(file);
      await driveRun(
        run(new ScraperClass(params), {
          ...settingsFrom(options),
          data: options.data,
          source,
          walkFrom: walkStartFrom(options),
        }),
        options,
      );
    });
}

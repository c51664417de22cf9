import type { Command } from 'commander';
import { compareRecords, type RecordDiff } from '../engine/compare-records.ts';
import { loadScraperOrSite } from '../engine/load-scraper.ts';
import { readRecords } from '../engine/record-stream.ts';
import { type RunId, readable } from '../ledger/run.ts';
import type { AnyScraperParams } from '../scraper/scraper.ts';
import { driveRun } from './drive-run.ts';
import { ExitCode } from './exit-code.ts';
import { printable } from './format.ts';
import { jsonLine } from './json-line.ts';
import { lookAtData } from './look-at-data.ts';
import {
  addDataOption,
  addJsonOption,
  addResumedFetchOptions,
  addRunArgument,
  addTriggerOption,
  type DataOption,
  type FetchOptions,
  type JsonOption,
  settingsFrom,
  type TriggerOption,
} from './options.ts';
import { sourceOf } from './source-of.ts';

type Options = DataOption &
  JsonOption &
  TriggerOption &
  Pick<FetchOptions, 'stepTimeout' | 'stepMemory'> & { readonly file?: string; readonly diff?: boolean };

export function define(command: Command): Command {
  addRunArgument(command)
    .option('--file <scraper.ts>', 'another version of the scraper')
    .option('--diff', 'show records added, lost and changed against that run; exit 0 if none, and no more is unread');
  addResumedFetchOptions(command, ['stepTimeout', 'stepMemory']);
  addDataOption(command);
  addJsonOption(command);
  addTriggerOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew replay latest --file court-fixed.ts --diff')
    .action(async (reference: number | 'latest', options: Options) => {
      const original = readable(await lookAtData(options.data, (ledger) => ledger.run(reference)));
      const source = await sourceOf(original, options.file);
      const ScraperClass = await loadScraperOrSite(source);
      const scraper = new ScraperClass(original.params as unknown as AnyScraperParams);
      const { replay } = await import('../engine/run.ts');
      const { data, trigger } = options;
      const handle = replay(scraper, { ...settingsFrom(options), data, run: original.id, source, trigger });
      await driveRun(handle, options);
      if (options.diff) await showDiff(original.id, await handle.id, options);
    });
}

async function showDiff(before: RunId, after: RunId, options: Options): Promise<void> {
  const counts = { added: 0, lost: 0, changed: 0 };
  await lookAtData(options.data, async (ledger) => {
    for await (const diff of compareRecords(readRecords(ledger, before), readRecords(ledger, after))) {
      counts[diff.change]++;
      process.stdout.write(options.json ? `${jsonLine(diff)}\n` : formatDiff(diff));
    }
  });
  const { requests: was } = await lookAtData(options.data, (ledger) => ledger.summary(before));
  const { requests: is } = await lookAtData(options.data, (ledger) => ledger.summary(after));
  // What the archive cannot answer, or the new steps cannot read, might have had other records.
  const unread = UNREAD.reduce((sum, verdict) => sum + Math.max(0, is[verdict] - was[verdict]), 0);
  process.stdout.write(
    options.json ? `${jsonLine({ before, after, ...counts, unread })}\n` : formatCounts(counts, unread, before),
  );
  const same = counts.added + counts.lost + counts.changed + unread === 0;
  if (process.exitCode !== ExitCode.interrupted) process.exitCode = same ? ExitCode.ok : ExitCode.notOk;
}

const UNREAD = ['failed', 'unknown', 'pending'] as const;

type Counts = Readonly<Record<RecordDiff['change'], number>>;

function formatCounts({ added, lost, changed }: Counts, unread: number, before: RunId): string {
  const isSame = added + lost + changed === 0;
  const lines = [
    isSame && unread === 0
      ? `The same records as in run ${before}.`
      : `${added} added, ${lost} lost, ${changed} changed against run ${before}.`,
  ];
  if (unread > 0) {
    lines.push(
      `${unread} more than in run ${before} could not be read, so nothing is known of their records: see the verdicts above.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function formatDiff({ change, kind, url, before, after }: RecordDiff): string {
  const mark = { added: '+', lost: '-', changed: '~' }[change];
  const lines = [`${mark} ${printable(kind)}  ${printable(url)}`];
  if (before !== undefined) lines.push(`    - ${jsonLine(before)}`);
  if (after !== undefined) lines.push(`    + ${jsonLine(after)}`);
  return `${lines.join('\n')}\n`;
}

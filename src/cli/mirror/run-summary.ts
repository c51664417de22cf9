import { type Command, Option } from 'commander';
import type { MirrorLedger } from '../../ledger/mirror/mirror-ledger.ts';
import { runHealthOf, runWithDownloads } from '../../mirror/reports/run-reports.ts';
import { summariseDownloadsForRun } from '../../mirror/reports/summarise-downloads.ts';
import { CurlewError, ErrorCode } from '../../platform/errors.ts';
import { formatTable, printable } from '../format.ts';
import { jsonLine } from '../json-line.ts';
import { lookAtData } from '../look-at-data.ts';
import { readCount } from '../options.ts';
import { addLookOptions, type LookOptions, sourceIdOf } from './mirror-options.ts';

type Options = LookOptions & { readonly runId?: number; readonly latest?: boolean };

export function define(command: Command): Command {
  command
    .addOption(new Option('--run-id <n>', 'number of the run').argParser(readCount).conflicts('latest'))
    .option('--latest', 'the newest run');
  addLookOptions(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew mirror run-summary --latest')
    .action(async (options: Options) => {
      const summary = await lookAtData(options.data, async ({ mirror }) => {
        const id = await runOf(mirror, options);
        const run = await runWithDownloads(mirror, id);
        const { unreadableRows, rowsWithoutFile } = (await mirror.version(run.csv_version_id ?? 0)) ?? {};
        return {
          ...run,
          ...(await runHealthOf(mirror, id)),
          ...(await summariseDownloadsForRun(mirror, id)),
          unreadable_rows: unreadableRows ?? null,
          rows_without_file: rowsWithoutFile ?? null,
        };
      });
      process.stdout.write(options.json ? `${jsonLine(summary)}\n` : table(summary));
    });
}

async function runOf(mirror: MirrorLedger, options: Options): Promise<number> {
  if (options.runId !== undefined) return options.runId;
  if (options.latest !== true) {
    throw new CurlewError(ErrorCode.usage, 'Which run?', { remedy: 'Give --run-id with a number, or --latest.' });
  }
  const [latest] = await mirror.runs(sourceIdOf(options), 1);
  if (latest === undefined) {
    throw new CurlewError(ErrorCode.runNotFound, 'There are no mirror runs in this data directory yet.', {
      remedy: 'Begin one with curlew mirror run, or name another directory with --data.',
    });
  }
  return latest.id;
}

function table(summary: Readonly<Record<string, unknown>>): string {
  const rows = Object.entries(summary).flatMap(([name, value]): (readonly [string, string])[] => {
    if (typeof value !== 'object' || value === null) return [[name, value === null ? '–' : String(value)]];
    return Object.entries(value).map(([key, count]) => [`${name}.${key}`, String(count)]);
  });
  return formatTable(rows.map((row) => row.map(printable)));
}

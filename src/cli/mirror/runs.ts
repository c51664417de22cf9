import type { Command } from 'commander';
import { listRecentRuns } from '../../mirror/reports/run-reports.ts';
import { formatTable, printable } from '../format.ts';
import { jsonLine } from '../json-line.ts';
import { lookAtData } from '../look-at-data.ts';
import { readCount } from '../options.ts';
import { addLookOptions, type LookOptions, sourceIdOf } from './mirror-options.ts';

type Options = LookOptions & { readonly limit: number };

export function define(command: Command): Command {
  command.option('--limit <n>', 'how many to show, the newest first', readCount, 20);
  addLookOptions(command);
  return command.addHelpText('after', '\nExample:\n  curlew mirror runs --limit 5').action(async (options: Options) => {
    const runs = await lookAtData(options.data, (ledger) =>
      listRecentRuns(ledger.mirror, { limit: options.limit, source: sourceIdOf(options) }),
    );
    if (options.json) {
      process.stdout.write(runs.map((run) => `${jsonLine(run)}\n`).join(''));
      return;
    }
    const head = ['run', 'begun', 'mode', 'status', 'health', 'planned', 'downloaded', 'failed'];
    const rows = runs.map((run) => [
      run.id,
      run.started_at.slice(0, 16).replace('T', ' '),
      run.mode,
      run.status,
      run.run_health ?? '–',
      run.cases_planned ?? 0,
      run.cases_downloaded ?? 0,
      run.cases_failed ?? 0,
    ]);
    const notes = runs.flatMap(({ id, error_summary }) =>
      error_summary === null ? [] : [`Run ${id}: ${printable(error_summary)}\n`],
    );
    process.stdout.write(formatTable([head, ...rows]) + notes.join(''));
  });
}

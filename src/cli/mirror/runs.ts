import type { Command } from 'commander';
import { listRecentRuns } from '../../mirror/reports/run-reports.ts';
import { formatTable, printable } from '../format.ts';
import { jsonLine } from '../json-line.ts';
import { lookAtData } from '../look-at-data.ts';
import { readCount } from '../options.ts';
import { stateNow } from '../state-now.ts';
import { addLookOptions, type LookOptions, sourceIdOf } from './mirror-options.ts';

type Options = LookOptions & { readonly limit: number };

export function define(command: Command): Command {
  command.option('--limit <n>', 'how many to show, the newest first', readCount, 20);
  addLookOptions(command);
  return command.addHelpText('after', '\nExample:\n  curlew mirror runs --limit 5').action(async (options: Options) => {
    const { runs, states } = await lookAtData(options.data, async (ledger) => {
      const found = await listRecentRuns(ledger.mirror, { limit: options.limit, source: sourceIdOf(options) });
      const now = found.map(async ({ id, status }) =>
        status === 'running' ? stateNow(ledger, await ledger.run(id)) : status,
      );
      return { runs: found, states: await Promise.all(now) };
    });
    if (options.json) {
      process.stdout.write(runs.map((run) => `${jsonLine(run)}\n`).join(''));
      return;
    }
    const head = ['run', 'begun', 'mode', 'status', 'health', 'planned', 'downloaded', 'failed'];
    const rows = runs.map((run, index) => [
      run.id,
      run.started_at.slice(0, 16).replace('T', ' '),
      run.mode,
      states[index] ?? run.status,
      run.run_health ?? '–',
      run.cases_planned ?? '–',
      run.cases_downloaded ?? '–',
      run.cases_failed ?? '–',
    ]);
    const notes = runs.flatMap(({ id, error_summary }) =>
      error_summary === null ? [] : [`Run ${id}: ${printable(error_summary)}\n`],
    );
    process.stdout.write(formatTable([head, ...rows]) + notes.join(''));
  });
}

import type { Command } from 'commander';
import { runWaits } from '../../engine/run-waits.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { type ListedRun, listRecentRuns } from '../../mirror/reports/run-reports.ts';
import { systemClock } from '../../platform/clock.ts';
import { formatRunWaits, formatTable, printable } from '../format.ts';
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
    const runs = await lookAtData(options.data, async (ledger) => {
      const found = await listRecentRuns(ledger.mirror, { limit: options.limit, source: sourceIdOf(options) });
      return Promise.all(found.map((run) => asItIsNow(ledger, run)));
    });
    if (options.json) {
      process.stdout.write(runs.map(({ state, ...run }) => `${jsonLine(run)}\n`).join(''));
      return;
    }
    const head = ['run', 'begun', 'mode', 'status', 'health', 'planned', 'downloaded', 'failed'];
    const rows = runs.map((run) => [
      run.id,
      run.started_at.slice(0, 16).replace('T', ' '),
      run.mode,
      run.state,
      run.run_health ?? '–',
      run.cases_planned ?? '–',
      run.cases_downloaded ?? '–',
      run.cases_failed ?? '–',
    ]);
    const notes = runs.flatMap(({ id, error_summary }) =>
      error_summary === null ? [] : [`Run ${id}: ${printable(error_summary)}\n`],
    );
    const waits = runs.flatMap(({ id, waits }) => formatRunWaits(id, waits));
    process.stdout.write(formatTable([head, ...rows]) + [...waits, ...notes].join(''));
  });
}

async function asItIsNow(ledger: Ledger, listed: ListedRun) {
  if (listed.status !== 'running') return { ...listed, state: listed.status, waits: [] };
  const run = await ledger.run(listed.id);
  const state = await stateNow(ledger, run);
  const waits = state === 'running' ? await runWaits(ledger, run.id, systemClock.now()) : [];
  return { ...listed, state, waits };
}

import type { Command } from 'commander';
import { runWaits } from '../engine/run-waits.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Run } from '../ledger/run.ts';
import { systemClock } from '../platform/clock.ts';
import { formatHealth, formatInstant, formatRunWaits, formatState, formatTable } from './format.ts';
import { jsonLine } from './json-line.ts';
import { lookAtData } from './look-at-data.ts';
import { addDataOption, addJsonOption, type DataOption, type JsonOption, readCount } from './options.ts';
import { stateNow } from './state-now.ts';

type Options = DataOption & JsonOption & { readonly limit: number };

export function define(command: Command): Command {
  command.option('--limit <n>', 'how many to show, the newest first', readCount, 20);
  addDataOption(command);
  addJsonOption(command);
  return command.addHelpText('after', '\nExample:\n  curlew runs --limit 5').action(async (options: Options) => {
    const rows = await lookAtData(options.data, async (ledger) => {
      const runs = await ledger.runs(options.limit);
      return Promise.all(runs.map((run) => rowOf(ledger, run)));
    });
    process.stdout.write(options.json ? rows.map((row) => `${jsonLine(row)}\n`).join('') : table(rows));
  });
}

async function rowOf(ledger: Ledger, run: Run) {
  const { requests, records, invalid, seconds } = await ledger.summary(run.id);
  const { id, kind, name, health, startedAt, endedAt } = run;
  const state = await stateNow(ledger, run);
  const waits = state === 'running' ? await runWaits(ledger, id, systemClock.now()) : [];
  const shown = { run: id, kind, name, state, health, requests, records, invalid, seconds, startedAt, endedAt, waits };
  return run.unreadable.length === 0 ? shown : { ...shown, unreadable: run.unreadable };
}

/** Narrow enough for 80 columns; `--json` has the rest. */
function table(rows: readonly Awaited<ReturnType<typeof rowOf>>[]): string {
  const head = ['run', 'name', 'started', 'state', 'health', 'done', 'pending', 'records'];
  const body = rows.map((row) => [
    row.run,
    row.kind === 'replay' ? `${row.name} (replay)` : row.name,
    // To the minute, without its zone.
    formatInstant(row.startedAt).slice(0, 16),
    formatState(row.state),
    formatHealth(row.health),
    row.requests.done,
    row.requests.pending,
    row.records,
  ]);
  const waits = rows.flatMap(({ run, waits }) => formatRunWaits(run, waits));
  const notes = rows.flatMap((row) =>
    'unreadable' in row ? [`Run ${row.run}: its ${row.unreadable?.join(' and ')} cannot be read.\n`] : [],
  );
  return formatTable([head, ...body]) + [...waits, ...notes].join('');
}

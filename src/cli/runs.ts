import type { Command } from 'commander';
import type { Ledger } from '../ledger/ledger.ts';
import type { Run } from '../ledger/run.ts';
import { formatHealth, formatInstant, formatStatus, formatTable } from './format.ts';
import { lookAtData } from './look-at-data.ts';
import { addDataOption, addJsonOption, type DataOption, type JsonOption, readCount } from './options.ts';

type Options = DataOption & JsonOption & { readonly limit: number };

export function define(command: Command): Command {
  command.option('--limit <n>', 'how many to show', readCount, 20);
  addDataOption(command);
  addJsonOption(command);
  return command.addHelpText('after', '\nExample:\n  curlew runs --limit 5').action(async (options: Options) => {
    const rows = await lookAtData(options.data, async (ledger) => {
      const runs = await ledger.runs(options.limit);
      return Promise.all(runs.map((run) => rowOf(ledger, run)));
    });
    if (options.json) for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
    else process.stdout.write(table(rows));
  });
}

async function rowOf(ledger: Ledger, run: Run) {
  const { requests, records, invalid, seconds } = await ledger.summary(run.id);
  // A run whose owner died is not running, whatever was written last.
  const abandoned = run.status === 'running' && (await ledger.holderOf(run.id)) === undefined;
  const status = abandoned ? ('interrupted' as const) : run.status;
  const { id, kind, name, health, createdAt, endedAt } = run;
  return { run: id, kind, name, status, health, requests, records, invalid, seconds, createdAt, endedAt };
}

function table(rows: readonly Awaited<ReturnType<typeof rowOf>>[]): string {
  const head = ['run', 'name', 'kind', 'begun', 'status', 'health', 'done', 'bad', 'pending', 'records'];
  const body = rows.map((row) => [
    String(row.run),
    row.name,
    row.kind,
    formatInstant(row.createdAt),
    formatStatus(row.status),
    formatHealth(row.health),
    row.requests.done,
    row.requests.failed + row.requests.blocked + row.requests.unknown,
    row.requests.pending,
    row.records,
  ]);
  return formatTable([head, ...body]);
}

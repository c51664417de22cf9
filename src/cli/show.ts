import type { Command } from 'commander';
import { formatHealth, formatInstant, formatTable, printable } from './format.ts';
import { formatSummary } from './format-summary.ts';
import { formatWalks } from './format-walks.ts';
import { lookAtData } from './look-at-data.ts';
import { addDataOption, addJsonOption, type DataOption, type JsonOption, readCount, readRun } from './options.ts';

type Options = DataOption & JsonOption & { readonly problems: number };

export function define(command: Command): Command {
  command
    .argument('<run>', 'number of the run, or latest', readRun)
    .option('--problems <n>', 'how many kinds of problems to show', readCount, 20);
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew show latest')
    .action(async (reference: number | 'latest', options: Options) => {
      const shown = await look(options, reference);
      if (options.json) process.stdout.write(`${JSON.stringify(shown)}\n`);
      else process.stdout.write(format(shown, options.data));
    });
}

function look(options: Options, reference: number | 'latest') {
  return lookAtData(options.data, async (ledger) => {
    const run = await ledger.run(reference);
    const [summary, hosts, kinds, problems, holder] = await Promise.all([
      ledger.summary(run.id),
      ledger.countsByHost(run.id),
      ledger.recordCountsByKind(run.id),
      ledger.problems(run.id, options.problems),
      ledger.holderOf(run.id),
    ]);
    const walks = await Promise.all(
      (await ledger.walksOf(run.id)).map(async (walk) => ({ walk, stretches: await ledger.stretchesOf(walk.id) })),
    );
    return { run, summary, hosts, kinds, problems, holder, walks };
  });
}

type Shown = Awaited<ReturnType<typeof look>>;

function format({ run, summary, hosts, kinds, problems, holder, walks }: Shown, data: string): string {
  const parts = [formatSummary(summary, data)];
  parts.push(`  begun     ${formatInstant(run.createdAt)}\n`);
  if (run.source !== undefined) parts.push(`  scraper   ${run.source}\n`);
  if (run.error !== undefined) parts.push(`  error     ${printable(run.error)}\n`);
  if (holder !== undefined) parts.push(`  worked on by process ${holder.pid} on ${holder.machine}\n`);
  if (hosts.length > 0) {
    const head = ['host', 'done', 'absent', 'skipped', 'failed', 'blocked', 'unknown', 'pending'];
    const body = hosts.map(({ host, counts: c }) => [
      host,
      c.done,
      c.absent,
      c.skipped,
      c.failed,
      c.blocked,
      c.unknown,
      c.pending,
    ]);
    parts.push(`\n${formatTable([head, ...body])}`);
  }
  if (kinds.length > 0) {
    const body = kinds.map(({ kind, total, invalid }) => [printable(kind), total, invalid]);
    parts.push(`\n${formatTable([['records', 'all', 'invalid'], ...body])}`);
  }
  parts.push(formatWalks(walks, process.stdout.columns ?? 100));
  for (const { verdict, reason, count, example } of problems) {
    const health = formatHealth(verdict === 'skipped' ? 'partial' : 'failed').replace(/partial|failed/, verdict);
    parts.push(`\n${health} ${count}×  ${printable(reason ?? '')}\n    e.g. ${printable(example)}\n`);
  }
  return parts.join('');
}

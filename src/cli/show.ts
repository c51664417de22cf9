import { styleText } from 'node:util';
import type { Command } from 'commander';
import { runWaits } from '../engine/run-waits.ts';
import type { HostCounts } from '../ledger/count-table.ts';
import { systemClock } from '../platform/clock.ts';
import type { Json } from '../platform/json.ts';
import { formatInstant, formatTable, formatWait, printable, printableLines } from './format.ts';
import { commandLine, formatNext, formatSummary, nextSteps } from './format-summary.ts';
import { formatWalks, lookAtWalks } from './format-walks.ts';
import { jsonLine } from './json-line.ts';
import { lookAtData } from './look-at-data.ts';
import {
  addDataOption,
  addJsonOption,
  addRunArgument,
  type DataOption,
  type JsonOption,
  readCount,
} from './options.ts';
import { quoted } from './own-name.ts';
import { stateNow } from './state-now.ts';

type Options = DataOption & JsonOption & { readonly problems: number };

export function define(command: Command): Command {
  addRunArgument(command).option(
    '--problems <n>',
    'how many kinds of problems to show, the most frequent first',
    readCount,
    20,
  );
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew show latest')
    .action(async (reference: number | 'latest', options: Options) => {
      const shown = await look(options, reference);
      process.stdout.write(options.json ? `${jsonLine(shown)}\n` : format(shown, options.data));
    });
}

function look(options: Options, reference: number | 'latest') {
  return lookAtData(options.data, async (ledger) => {
    const run = await ledger.run(reference);
    const [state, summary, hosts, kinds, problems, holder, walks] = await Promise.all([
      stateNow(ledger, run),
      ledger.summary(run.id),
      ledger.countsByHost(run.id),
      ledger.recordCountsByKind(run.id),
      ledger.problems(run.id, options.problems),
      ledger.holderOf(run.id),
      lookAtWalks(ledger, run.id),
    ]);
    const waits = state === 'running' ? await runWaits(ledger, run.id, systemClock.now()) : [];
    return { run, state, summary, hosts, kinds, problems, holder, walks, waits };
  });
}

type Shown = Awaited<ReturnType<typeof look>>;

function format(shown: Shown, data: string): string {
  const { run, state, summary, hosts, kinds, problems, holder, walks, waits } = shown;
  const parts = [formatSummary(summary, state), `  started   ${formatInstant(run.startedAt)}\n`];
  if (run.source !== undefined) parts.push(`  scraper   ${printable(run.source)}\n`);
  if (run.error !== undefined) parts.push(`  error     ${printableLines(run.error)}\n`);
  if (holder !== undefined) parts.push(`  owner     process ${holder.pid} on ${holder.machine}\n`);
  for (const wait of waits) parts.push(`  now       ${formatWait(wait)}\n`);
  if (hosts.length > 0) parts.push(`\n${formatTable([HOST_HEAD, ...hosts.map(hostRow)])}`);
  if (kinds.length > 0) {
    const body = kinds.map(({ kind, total, invalid }) => [printable(kind), total, invalid]);
    parts.push(`\n${formatTable([['records', 'all', 'invalid'], ...body])}`);
  }
  parts.push(formatWalks(walks, process.stdout.columns ?? 100));
  for (const problem of problems) parts.push(`\n${formatProblem(problem, `${run.id}`, data)}`);
  const next = nextSteps(summary, state, run.kind).filter((step) => !step.startsWith('show'));
  if (next.length > 0) parts.push(`\n${formatNext(next, data)}`);
  return parts.join('');
}

const HOST_HEAD = ['host', 'done', 'absent', 'skipped', 'failed', 'blocked', 'unknown', 'pending'];

function hostRow({ host, counts: c }: HostCounts): (string | number)[] {
  return [printable(host), c.done, c.absent, c.skipped, c.failed, c.blocked, c.unknown, c.pending];
}

function formatProblem(problem: Shown['problems'][number], run: string, data: string): string {
  const { verdict, reason, count, example } = problem;
  const mark = styleText(verdict === 'skipped' ? 'yellow' : 'red', verdict);
  const lines = [`${mark} ${count}×  ${printableLines(reason ?? '')}`];
  const { message, remedy } = readDetail(problem.detail);
  // What the message of this page has beyond the reason of all: its address, its archived body, the place in the step.
  const particulars = message?.startsWith(`${reason} on `) ? message.slice(`${reason} on `.length) : undefined;
  lines.push(`  e.g. ${printableLines(particulars ?? example)}`);
  if (particulars === undefined && message !== undefined && message !== reason)
    lines.push(`  ${printableLines(message)}`);
  if (remedy !== undefined) lines.push(`  ${printableLines(remedy)}`);
  if (message !== undefined) lines.push(`  See it:  ${commandLine(`page ${run} ${quoted(example)}`, data)}`);
  return `${lines.join('\n')}\n`;
}

/** What a failed step left about the page it failed on. */
function readDetail(detail: Json | undefined): { readonly message?: string; readonly remedy?: string } {
  if (typeof detail !== 'object' || detail === null) return {};
  const { message, remedy } = detail as Readonly<Record<string, Json>>;
  return {
    ...(typeof message === 'string' && { message }),
    ...(typeof remedy === 'string' && { remedy }),
  };
}

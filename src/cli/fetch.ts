import type { Command } from 'commander';
import type { UrlOutcome } from '../engine/url-outcome.ts';
import type { RunSummary } from '../ledger/run.ts';
import { ExitCode } from './exit-code.ts';
import { formatBytes, formatCount, printable } from './format.ts';
import { commandLine } from './format-summary.ts';
import { jsonLine } from './json-line.ts';
import { onSignals } from './on-signals.ts';
import {
  addDataOption,
  addFetchOptions,
  addJsonOption,
  type DataOption,
  type FetchOptions,
  type JsonOption,
  settingsFrom,
} from './options.ts';
import { readAddresses } from './read-addresses.ts';
import { showProgress } from './show-progress.ts';

type Options = DataOption & JsonOption & FetchOptions & { readonly fresh?: boolean };

export function define(command: Command): Command {
  command
    .argument('<url|file|-...>', 'addresses, files with one address a line, or - for standard input')
    .option('--fresh', 'ask for news only: what is archived here already and has not changed is not sent again');
  addFetchOptions(command, undefined, { patience: '1m' });
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew fetch https://court.example/ urls.txt --rate 2 --json')
    .action(async (sources: string[], options: Options) => {
      const counts = new Map<UrlOutcome['kind'], number>();
      const addresses = await readAddresses(sources);
      const { fetchUrls } = await import('../engine/fetch-urls.ts');
      const handle = fetchUrls(addresses, {
        ...settingsFrom(options),
        data: options.data,
        fresh: options.fresh ?? false,
        onOutcome(outcome) {
          counts.set(outcome.kind, (counts.get(outcome.kind) ?? 0) + 1);
          process.stdout.write(options.json ? `${jsonLine(outcome)}\n` : formatOutcome(outcome));
        },
      });
      // On a terminal the outcomes are progress enough, and bars between them would erase them.
      const progress = showProgress(() => handle.progress(), !process.stdout.isTTY);
      const release = onSignals((count) => {
        progress.say(
          count === 1 ? 'stopping after what is on the wire. Once more to stop at once.' : 'stopping at once.',
        );
        handle.stop(count === 1 ? 'gently' : 'now');
      });
      try {
        const summary = await handle.summary;
        for (const warning of summary?.warnings ?? []) progress.say(`note: ${printable(warning)}`);
        if (!options.json) progress.say(formatEnd(counts, summary, options.data));
        process.exitCode = exitCodeOf(counts, summary);
      } finally {
        progress.hide();
        release();
      }
    });
}

function exitCodeOf(counts: ReadonlyMap<UrlOutcome['kind'], number>, summary: RunSummary | undefined): ExitCode {
  if (summary?.status === 'interrupted') return ExitCode.interrupted;
  return [...counts.keys()].every((kind) => kind === 'ok' || kind === 'unchanged') ? ExitCode.ok : ExitCode.notOk;
}

function formatOutcome(outcome: UrlOutcome): string {
  const { url, finalUrl, kind, status, reason, contentType, size, sha256, ms, attempts } = outcome;
  const details = [
    status === null || reason?.startsWith(`${status} `) ? undefined : String(status),
    reason === null ? undefined : printable(reason),
    attempts > 1 ? `${attempts} attempts` : undefined,
    size === null ? undefined : formatBytes(size),
    contentType === null ? undefined : printable(contentType),
    ms === null ? undefined : `${formatCount(ms)} ms`,
    sha256 === null || kind !== 'ok' ? undefined : `sha256 ${sha256}`,
    finalUrl === null || finalUrl === url ? undefined : `from ${printable(finalUrl)}`,
  ];
  return `${kind.padEnd(12)}  ${printable(url)}  ${details.filter((detail) => detail !== undefined).join(', ')}\n`;
}

function formatEnd(
  counts: ReadonlyMap<UrlOutcome['kind'], number>,
  summary: RunSummary | undefined,
  data: string,
): string {
  const parts = [...counts].map(([kind, count]) => `${formatCount(count)} ${kind}`);
  if (summary === undefined) return `${parts.join(', ')}; nothing could be asked for.`;
  const pending = summary.requests.pending;
  const rest = pending > 0 ? `; ${formatCount(pending)} pending: ${commandLine(`resume ${summary.run}`, data)}` : '';
  return `${parts.join(', ') || 'nothing'}, kept as run ${summary.run} in ${data}${rest}`;
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Checked, nothingChecked, type Share } from '../engine/verify/checked.ts';
import type { Finding } from '../engine/verify/finding.ts';
import { verifyData } from '../engine/verify/verify-data.ts';
import { FixityLedger } from '../ledger/fixity/fixity-ledger.ts';
import type { RunId } from '../ledger/run.ts';
import { runNotFound } from '../ledger/summarise.ts';
import { systemClock } from '../platform/clock.ts';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { systemRandom } from '../platform/random.ts';
import { ExitCode } from './exit-code.ts';
import { formatCount } from './format.ts';
import { formatFinding } from './format-finding.ts';
import { jsonLine } from './json-line.ts';
import { assertData, hasData } from './look-at-data.ts';
import {
  addDataOption,
  addJsonOption,
  addResumedFetchOptions,
  type DataOption,
  type FetchOptions,
  type JsonOption,
  readCount,
  readRun,
} from './options.ts';
import { showLive } from './show-progress.ts';

type Options = DataOption &
  JsonOption &
  FetchOptions & {
    readonly sample?: number;
    readonly repair?: boolean;
    readonly dryRun?: boolean;
    readonly accept?: boolean;
  };

export function define(command: Command): Command {
  command
    .argument('[run]', 'number of the run, or latest; without it, all of the data directory', readRun)
    .option('--sample <n>', 'look at so many pages and files, drawn at random, instead of all', readCount)
    .option('--repair', 'fetch damaged pages and downloads again, and rebuild indexes')
    .option('--dry-run', 'with --repair: only say what it would fetch')
    .option(
      '--accept',
      'accept different answers and lost rows, which no repair can undo: they are no findings any more',
    );
  addResumedFetchOptions(command);
  addDataOption(command);
  addJsonOption(command, ': a line for each finding, and one for what was checked');
  return command
    .addHelpText('after', '\nExample:\n  curlew verify\n  curlew verify latest --sample 100')
    .action(async (reference: number | 'latest' | undefined, options: Options) => {
      const { data, json, sample, repair, dryRun, accept } = options;
      if (repair && accept) {
        throw new CurlewError(ErrorCode.usage, '--repair and --accept cannot be given together.', {
          remedy: 'Repair first, look at what is left, then accept it.',
        });
      }
      if (dryRun && !repair) {
        throw new CurlewError(ErrorCode.usage, '--dry-run is for --repair.', {
          remedy: 'Leave it out: verify fetches nothing.',
        });
      }
      assertStored(data);
      const run = reference === undefined ? undefined : runOf(data, reference);
      const checked = nothingChecked();
      const shown = showLive(() => checked, {
        bars: (now) => [progressOf(now)],
        plain: (now) => `curlew: ${progressOf(now)}`,
      });
      const found: Finding[] = [];
      const write = (finding: Finding) => {
        shown.hide();
        if (repair || accept) found.push(finding);
        process.stdout.write(json ? `${jsonLine(finding)}\n` : formatFinding(finding));
      };
      try {
        const how = { run, sample, clock: systemClock, random: systemRandom };
        for await (const finding of verifyData(data, how, checked)) write(finding);
      } finally {
        shown.hide();
      }
      process.stdout.write(json ? `${jsonLine({ ok: checked.findings === 0, ...checked })}\n` : formatChecked(checked));
      process.exitCode = checked.findings === 0 ? ExitCode.ok : ExitCode.notOk;
      // Without a ledger nobody knows what to ask for, and opening it would make an empty one.
      if (found.length === 0 || !hasData(data)) return;
      if (accept) {
        const { acceptFindings } = await import('./accept-findings.ts');
        process.exitCode = await acceptFindings(found, options);
        return;
      }
      const { repairFindings } = await import('./repair-findings.ts');
      process.exitCode = await repairFindings(found, options);
    });
}

/** A ledger may be lost, and what it told of be there still. */
function assertStored(data: string): void {
  if (!['archive', 'files', 'pdfs'].some((name) => existsSync(join(data, name)))) assertData(data);
}

function runOf(data: string, reference: number | 'latest'): RunId {
  assertData(data);
  const ledger = FixityLedger.open(data, systemClock);
  try {
    const run = ledger.isEmpty ? undefined : ledger.run(reference);
    if (run === undefined) throw runNotFound(reference, ledger.isEmpty ? undefined : ledger.run('latest'));
    return run;
  } finally {
    ledger.close();
  }
}

function progressOf({ exchanges, mirrorFiles }: Checked): string {
  return `${of(exchanges)} pages and downloads, ${of(mirrorFiles)} files of mirrors checked`;
}

function formatChecked(checked: Checked): string {
  const { ledger, segments, exchanges, downloads, mirrorFiles, known, findings } = checked;
  const parts = [
    ledger === undefined ? 'of the ledger what can be read' : `the ledger${ledger === 'quick' ? ' (quick check)' : ''}`,
    `${of(segments)} ${segments.total === 1 ? 'segment' : 'segments'}`,
    `${of(exchanges)} pages and downloads`,
    `${of(downloads)} downloaded ${downloads.total === 1 ? 'file' : 'files'}`,
    `${of(mirrorFiles)} ${mirrorFiles.total === 1 ? 'file' : 'files'} of mirrors`,
  ];
  const looked = `Checked: ${parts.join(', ')}.${formatKnown(known)}`;
  if (findings > 0)
    return `${looked}\n${formatCount(findings)} ${findings === 1 ? 'finding' : 'findings'}, listed above.\n`;
  const isWhole = [exchanges, downloads, mirrorFiles].every(({ checked: n, total }) => n >= total);
  return `${looked}\n${isWhole ? `${known.replaced + known.givenUp === 0 ? 'All of it' : 'All else'} is as it was stored.` : `What was looked at is as it was stored. ${shareOf(checked)}`}\n`;
}

function formatKnown({ replaced, givenUp }: Checked['known']): string {
  if (replaced + givenUp === 0) return '';
  const parts = [
    ...(replaced === 0 ? [] : [`${formatCount(replaced)} replaced by the same bytes`]),
    ...(givenUp === 0 ? [] : [`${formatCount(givenUp)} given up`]),
  ];
  return `\nKnown losses of pages and downloads: ${parts.join(', ')}. An export as WARC leaves them out.`;
}

/** What a sample says, and what it does not. */
function shareOf({ exchanges, mirrorFiles }: Checked): string {
  const [seen, all] = [exchanges.checked + mirrorFiles.checked, exchanges.total + mirrorFiles.total];
  return `That is ${((100 * seen) / all).toFixed(1)} % of the pages and files; of the others nothing is known.`;
}

function of({ checked, total }: Share): string {
  return checked === total ? formatCount(total) : `${formatCount(checked)} of ${formatCount(total)}`;
}

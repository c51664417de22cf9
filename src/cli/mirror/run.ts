import { type Command, InvalidArgumentError, Option } from 'commander';
import type { HostWait } from '../../fetch/host-wait.ts';
import type { MirrorRun } from '../../ledger/mirror/mirror-run.ts';
import { MODES, type Mode } from '../../ledger/mirror/mirror-run.ts';
import { readConfig } from '../../mirror/config/mirror-config.ts';
import { runScrape } from '../../mirror/on-demand.ts';
import { RESUME_STRATEGIES, type ResumeStrategy } from '../../mirror/scrape-params.ts';
import type { ScrapeProgress } from '../../mirror/scrape-progress.ts';
import { CLIENT_KINDS, type ClientKind } from '../../mirror/sources/source.ts';
import type { MirrorRunSummary } from '../../mirror/summarise-run.ts';
import { boundYoungGeneration } from '../../platform/young-generation.ts';
import { ExitCode } from '../exit-code.ts';
import { formatCount, formatHealth, formatState, formatWait, printable } from '../format.ts';
import { formatNext } from '../format-summary.ts';
import { jsonLine } from '../json-line.ts';
import { lookAtData } from '../look-at-data.ts';
import { onSignals } from '../on-signals.ts';
import { addTriggerOption, collect, readCount, type TriggerOption } from '../options.ts';
import { cut, showLive } from '../show-progress.ts';
import {
  addLookOptions,
  addMirrorFetchOptions,
  fetchSettingsFrom,
  type LookOptions,
  type MirrorFetchOptions,
  readChoice,
} from './mirror-options.ts';
import { scrapeBar, scrapeLine } from './show-scrape.ts';

type Options = LookOptions &
  MirrorFetchOptions &
  TriggerOption & {
    readonly mode: Mode;
    readonly resumeStrategy: ResumeStrategy;
    readonly limit?: number;
    readonly case?: readonly string[];
    readonly dryRun?: boolean;
    readonly acceptShrink?: boolean;
    readonly staleIndexOk?: boolean;
    readonly delay: number;
    readonly maxRetries: number;
    readonly concurrency?: number;
    readonly client: ClientKind;
  };

export function define(command: Command): Command {
  command
    .addOption(
      new Option(
        '--mode <mode>',
        'new: what is not held yet; full: every case, also held ones, to find amended files; resume: earlier runs',
      )
        .choices(MODES)
        .argParser(readChoice(MODES))
        .default('new'),
    )
    .addOption(
      new Option('--resume-strategy <strategy>', 'what a resume takes up of earlier runs')
        .choices(RESUME_STRATEGIES)
        .argParser(readChoice(RESUME_STRATEGIES))
        .default('auto'),
    )
    .option('--limit <n>', 'most cases of this run', readCount)
    .option('--case <token>', 'fetch only this case, again if it is held; repeatable', collect)
    .option('--dry-run', 'plan, and fetch no file')
    .addOption(
      new Option('--delay <seconds>', 'between two cases, give or take 20 %')
        .argParser(readSeconds)
        .default(1_000, '1'),
    )
    .option('--max-retries <n>', 'attempts per case', readCount, 3)
    .addOption(
      new Option('--concurrency <n>', 'files fetched at once')
        .argParser(readCount)
        .default(undefined, 'BAILIIKC_MAX_PARALLEL_DOWNLOADS'),
    )
    .addOption(
      new Option('--client <kind>', 'ask for addresses over plain HTTP, or let Chromium run the page')
        .choices(CLIENT_KINDS)
        .argParser(readChoice(CLIENT_KINDS))
        .default('http'),
    )
    .option('--accept-shrink', 'take over an index in which more than 20 % of the cases are gone')
    .option('--stale-index-ok', 'leave with 0 although the index could not be brought up to date');
  addMirrorFetchOptions(addLookOptions(addTriggerOption(command)));
  return command
    .addHelpText('after', '\nExample:\n  curlew mirror run --mode new --limit 50')
    .action((options: Options) => drive(options));
}

async function drive(options: Options): Promise<void> {
  boundYoungGeneration();
  const {
    data,
    mode,
    resumeStrategy,
    limit,
    dryRun = false,
    acceptShrink = false,
    staleIndexOk = false,
    maxRetries,
    client,
  } = options;
  const stop = new AbortController();
  const abort = new AbortController();
  let progress: ScrapeProgress | undefined;
  let waits: () => readonly HostWait[] = () => [];
  const shown = showLive(() => ({ progress }), {
    bars: (now, columns) => [
      ...(now.progress === undefined ? [] : scrapeBar(now.progress, columns)),
      ...waits().map((wait) => cut(formatWait(wait), columns - 1)),
    ],
    plain: (now) => (now.progress === undefined ? 'curlew: reading the index' : scrapeLine(now.progress)),
    waits: () => waits(),
  });
  const release = onSignals((count) => {
    shown.say(count === 1 ? 'stopping after what is on the wire. Once more to stop at once.' : 'stopping at once.');
    (count === 1 ? stop : abort).abort(new Error('stopped'));
  });
  try {
    const summary = await runScrape(
      {
        mode,
        targetSource: options.source ?? '',
        perDownloadDelayMs: options.delay,
        maxRetries,
        concurrency: options.concurrency ?? readConfig(process.env).config.maxParallelDownloads,
        resumeStrategy,
        dryRun,
        limit,
        cases: options.case,
        trigger: options.trigger,
        acceptShrink,
        staleIndexOk,
      },
      {
        data,
        client,
        fetch: fetchSettingsFrom(options),
        patience: { stop: stop.signal, abort: abort.signal },
        onWaits: (look) => {
          waits = look;
        },
        onProgress: (now) => {
          if (progress === undefined) {
            shown.say(`run ${now.runId}, ${now.planned} cases, data in ${data}. Ctrl-C stops it; nothing is lost.`);
          }
          progress = now;
        },
      },
    );
    shown.hide();
    if (dryRun) tellPlan(summary, options);
    else await tellRun(summary, options);
  } finally {
    shown.hide();
    release();
  }
}

function tellPlan(summary: MirrorRunSummary, { json, staleIndexOk = false }: Options): void {
  const { casesTotal, casesTargeted } = summary;
  const problems = problemsOf(summary);
  const plan = { dry_run: true, cases_total: casesTotal, cases_planned: casesTargeted, problems };
  process.stdout.write(
    json
      ? `${jsonLine(plan)}\n`
      : `Would fetch ${formatCount(casesTargeted)} of ${formatCount(casesTotal)} cases.\n` +
          problems.map(({ message }) => `${printable(message)}\n`).join(''),
  );
  process.exitCode = isIndexGood(summary, staleIndexOk) ? ExitCode.ok : ExitCode.notOk;
}

/** What a program should look at beside the counts. */
function problemsOf({ staleIndex, unreadableRows }: MirrorRunSummary): { code: string; message: string }[] {
  return [
    ...(staleIndex === undefined ? [] : [{ code: 'index_not_confirmed', message: staleIndex }]),
    ...(unreadableRows === undefined ? [] : [{ code: 'index_rows_unreadable', message: unreadableRows }]),
  ];
}

/** Whether it says what there is to fetch. */
function isIndexGood({ staleIndex, unreadableRows }: MirrorRunSummary, staleIndexOk: boolean): boolean {
  return (staleIndex === undefined || staleIndexOk) && unreadableRows === undefined;
}

async function tellRun(summary: MirrorRunSummary, options: Options): Promise<void> {
  const { data, json } = options;
  const run = await lookAtData(data, (ledger) => ledger.mirror.run(summary.runId));
  const { status = 'failed', runHealth = null, errorSummary = null } = run ?? {};
  if (json)
    process.stdout.write(
      `${jsonLine({ ...summary, status, runHealth, errorSummary, problems: problemsOf(summary) })}\n`,
    );
  else {
    const reasons = Object.entries(summary.errorCounts).map(([code, count]) => `${formatCount(count)} ${code}`);
    const lines = [
      `Run ${summary.runId}: ${formatState(status)}, health ${formatHealth(runHealth ?? undefined)}`,
      `  planned     ${formatCount(summary.casesTargeted)} of ${formatCount(summary.casesTotal)} cases`,
      `  downloaded  ${formatCount(summary.downloadsCompleted)}`,
      ...(summary.filesAmended === 0 ? [] : [`  amended     ${formatCount(summary.filesAmended)}`]),
      ...(reasons.length === 0 ? [] : [`  failed      ${reasons.join(', ')}`]),
      ...(errorSummary === null ? [] : [`  note        ${printable(errorSummary)}`]),
      ...(summary.staleIndex === undefined ? [] : [`  index       ${printable(summary.staleIndex)}`]),
      ...(summary.unreadableRows === undefined ? [] : [`  rows        ${printable(summary.unreadableRows)}`]),
    ];
    const next =
      isWhole(summary, run) && summary.unreadableRows === undefined
        ? ['mirror verify']
        : ['mirror report', 'mirror run --mode resume'];
    process.stdout.write(`${lines.join('\n')}\n${formatNext(next, data)}`);
  }
  process.exitCode = exitCodeOf(summary, run, options);
}

/** Everything that was planned is held. A run that had nothing to do is whole. */
function isWhole({ casesTargeted, downloadsCompleted }: MirrorRunSummary, run: MirrorRun | undefined): boolean {
  return run?.status === 'completed' && downloadsCompleted === casesTargeted;
}

function exitCodeOf(
  summary: MirrorRunSummary,
  run: MirrorRun | undefined,
  { staleIndexOk = false }: Options,
): ExitCode {
  if (run?.status === 'aborted' && summary.errorCounts.disk_full === undefined) return ExitCode.interrupted;
  return isWhole(summary, run) && isIndexGood(summary, staleIndexOk) ? ExitCode.ok : ExitCode.notOk;
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === '' || !Number.isFinite(seconds) || seconds < 0) {
    throw new InvalidArgumentError('It must be a number of seconds, 0 or more.');
  }
  return seconds * 1_000;
}

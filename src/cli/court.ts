import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CourtOptions } from '../../sim/court/court.ts';
import { type IdSet, parseIdSet } from '../../sim/court/id-set.ts';
import { type LatencyMs, parseLatencyMs } from '../../sim/latency.ts';
import type { SiteOptions } from '../../sim/site.ts';
import { CurlewError, ErrorCode, messageOf, systemCodeOf } from '../platform/errors.ts';
import { jsonLine } from './json-line.ts';
import { onSignals } from './on-signals.ts';
import { addJsonOption, type JsonOption } from './options.ts';

interface Options extends JsonOption {
  readonly port: number;
  readonly seed: number;
  readonly lowest: number;
  readonly highest: number;
  readonly holes: IdSet;
  readonly holeRate: number;
  readonly sealed: IdSet;
  readonly softMissing: IdSet;
  readonly redirectMissing: IdSet;
  readonly latency: LatencyMs;
  readonly pages: number;
  readonly compress?: boolean;
  readonly log: boolean;
}

export function define(command: Command): Command {
  const ids = (flag: string, what: string) =>
    new Option(`${flag} <ids>`, `ids that ${what}`).argParser(reading(parseIdSet)).default([], 'none');
  command
    .addOption(new Option('--port <n>', 'port to listen on; 0: any free one').argParser(readWhole).default(8017))
    .addOption(new Option('--seed <n>', 'everything random follows from it').argParser(readWhole).default(1))
    .addOption(new Option('--lowest <id>', 'first case').argParser(readWhole).default(1))
    .addOption(new Option('--highest <id>', 'last case').argParser(readWhole).default(500))
    .addOption(ids('--holes', 'do not exist, such as 120-131,200,300-'))
    .addOption(
      new Option('--hole-rate <share>', 'share of the ids that do not exist either').argParser(readShare).default(0),
    )
    .addOption(ids('--sealed', 'answer 403'))
    .addOption(ids('--soft-missing', 'answer 200 with a page that says Case not found'))
    .addOption(ids('--redirect-missing', 'redirect to /search?notfound=1'))
    .addOption(
      new Option('--latency <ms>', 'milliseconds before each answer: 20, or 5-40 for random')
        .argParser(reading(parseLatencyMs))
        .default(0),
    )
    .addOption(new Option('--pages <n>', 'number of pages under /graph/').argParser(readWhole).default(2000))
    .option('--compress', 'send text with br or gzip to clients that accept it')
    .option('--no-log', 'do not keep a log of the requests');
  addJsonOption(command, ': where it is, when it is ready');
  return command
    .addHelpText('after', '\nExample:\n  curlew court --highest 130 --holes 50-61 --sealed 70-71')
    .action(serveCourt);
}

async function serveCourt({ json, latency: latencyMs, pages: graphPages, ...options }: Options): Promise<void> {
  const { startCourt } = await import('../../sim/court/court.ts');
  const given: CourtOptions & SiteOptions = { ...options, latencyMs, graphPages };
  const court = await startCourt(given).catch((error) => {
    throw systemCodeOf(error) === undefined ? error : unusable(options.port, error);
  });
  const stopped = Promise.withResolvers<void>();
  const release = onSignals((count) => (count === 1 ? stopped.resolve() : process.exit()));
  const { url, controlUrl: control } = court;
  process.stdout.write(
    json
      ? `${jsonLine({ url, control, pid: process.pid })}\n`
      : `A simulated court is at ${url}, with cases ${options.lowest} to ${options.highest}. Ctrl-C stops it.\n` +
          `Scrapers need --allow-host ${new URL(url).host}; faults are switched at ${control}.\n`,
  );
  await stopped.promise;
  await court.close();
  release();
}

function unusable(port: number, cause: unknown): CurlewError {
  return new CurlewError(ErrorCode.usage, `The court cannot listen on port ${port}: ${messageOf(cause)}`, {
    remedy: 'Choose another with --port; 0 is any free one.',
    cause,
  });
}

function readWhole(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

function readShare(text: string): number {
  const share = Number(text);
  if (text !== '' && share >= 0 && share <= 1) return share;
  throw new InvalidArgumentError('It must be a number from 0 to 1.');
}

/** An option that is read by a part of the court, whose errors say what it may be. */
function reading<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      const remedy = error instanceof CurlewError ? ` ${error.remedy}` : '';
      throw new InvalidArgumentError(`${messageOf(error)}${remedy}`);
    }
  };
}

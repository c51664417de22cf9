import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { styleText } from 'node:util';
import { type Command, Option } from 'commander';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { readRecords } from '../engine/record-stream.ts';
import { systemCodeOf } from '../platform/errors.ts';
import { packageRoot } from '../platform/version.ts';
import { ExitCode } from './exit-code.ts';
import { formatTable } from './format.ts';
import { commandLine } from './format-summary.ts';
import { lookAtData } from './look-at-data.ts';
import { DEFAULT_DATA } from './options.ts';
import { ownName } from './own-name.ts';

interface Options {
  readonly data?: string;
}

/** Long enough that there is something to see and a middle to be killed in, short enough for a newcomer's patience. */
const COURT = { seed: 7, highest: 240, latencyMs: 60 };
const CONCURRENCY = 4;

export function define(command: Command): Command {
  return command
    .addOption(
      new Option('--data <dir>', 'directory of the ledger, archive and files').default(
        undefined,
        `a new one in ${DEFAULT_DATA}`,
      ),
    )
    .addHelpText('after', '\nExample:\n  curlew demo')
    .action(async (options: Options) => {
      const data = options.data ?? (await newDirectory());
      const court = await startCourt(COURT);
      // Ctrl-C reaches the run as well, which ends in its own way; then so do we.
      process.on('SIGINT', () => {});
      try {
        process.exitCode = await show(court, data);
      } finally {
        await court.close();
      }
    });
}

async function show(court: RunningCourt, data: string): Promise<number> {
  const expected = { case: court.expectedCases().length, document: court.expectedDocuments().length };
  say(1, `A court is playing on ${court.url}: ${expected.case} cases with ${expected.document} documents.`);
  tell(`The scraper is ${relative(process.cwd(), join(packageRoot(), 'examples', 'county-court.ts'))}.`);

  say(2, 'Curlew mirrors it, and is killed in the middle, without warning (SIGKILL):');
  const first = await mirrorAndKill(court, data, (expected.case + expected.document) / 2);
  if (first !== 'killed') return first;
  const left = Object.values(await countKinds(data)).reduce((sum, n) => sum + n, 0);
  tell(styleText('red', `Killed. ${left} records had been committed, and they are safe.`));

  say(3, `It goes on where it was (${ownName()} resume latest):`);
  const resumed = await endOf(startCurlew(['resume', 'latest', '--data', data]));
  if (resumed !== ExitCode.ok) return resumed;

  say(4, 'What the court has, and what was found:');
  const complete = await showCoverage(data, expected);
  tell(`${twice(court)} pages were fetched again: they were on their way when it was killed.`);
  if (!complete) return ExitCode.notOk;

  const where = relative(process.cwd(), data) || '.';
  say(5, `The data lies in ${where}:`);
  tell('ledger.sqlite  what was asked, what became of it, what was found');
  tell('archive/       every exchange, as WARC');
  tell('files/         the documents');

  say(6, 'Try next:');
  for (const next of ['show latest', 'records latest', 'export latest --format csv', 'replay latest --diff']) {
    tell(commandLine(next, where));
  }
  return ExitCode.ok;
}

function say(step: number, text: string): void {
  process.stdout.write(`\n${styleText('bold', `${step}. ${text}`)}\n`);
}

function tell(text: string): void {
  process.stdout.write(`   ${text}\n`);
}

/** `killed`, or the exit code of a run that ended before. */
async function mirrorAndKill(court: RunningCourt, data: string, requests: number): Promise<'killed' | number> {
  // Beside this file's own kind: sources run sources, the package runs what was compiled.
  const extension = extname(import.meta.filename);
  const scraper = new URL(`../../examples/county-court${extension}`, import.meta.url).pathname;
  const where = ['--base-url', court.url, '--allow-host', new URL(court.url).host, '--data', data];
  const child = startCurlew(['run', scraper, ...where, '--rate', 'off', '--concurrency', String(CONCURRENCY)]);
  const ended = endOf(child);
  const half = court.log.arrival(({ n }) => n > requests).then(() => child.kill('SIGKILL'));
  await Promise.race([ended, half]);
  const code = await ended;
  return child.signalCode === 'SIGKILL' ? 'killed' : code || ExitCode.notOk;
}

function startCurlew(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(packageRoot(), 'bin', 'curlew.js'), ...args], { stdio: 'inherit' });
}

async function endOf(child: ChildProcess): Promise<number> {
  const [code] = await once(child, 'exit');
  return code ?? ExitCode.notOk;
}

async function countKinds(data: string): Promise<Record<string, number>> {
  return lookAtData(data, async (ledger) => {
    const kinds = await ledger.recordCountsByKind((await ledger.run('latest')).id);
    return Object.fromEntries(kinds.map(({ kind, total }) => [kind, total]));
  });
}

/** Counts what was found, each thing once, however often it may lie in the ledger. */
async function showCoverage(data: string, expected: Readonly<Record<string, number>>): Promise<boolean> {
  const found = await lookAtData(data, async (ledger) => {
    const urls = new Map<string, string[]>(Object.keys(expected).map((kind) => [kind, []]));
    for await (const { kind, url } of readRecords(ledger, (await ledger.run('latest')).id)) urls.get(kind)?.push(url);
    return urls;
  });
  const rows = Object.entries(expected).map(([kind, there]) => {
    const urls = found.get(kind) ?? [];
    return { kind, there, once: new Set(urls).size, twice: urls.length - new Set(urls).size };
  });
  const table = rows.map(({ kind, there, once, twice }) => [`${kind}s`, there, once, there - once, twice]);
  for (const line of formatTable([['', 'there', 'found', 'missing', 'twice'], ...table])
    .trimEnd()
    .split('\n')) {
    tell(line);
  }
  return rows.every(({ there, once, twice }) => there === once && twice === 0);
}

/** Requests for pages that had been asked for before. */
function twice(court: RunningCourt): number {
  const pages = court.log.entries.filter(({ path }) => path !== '/robots.txt').map(({ path }) => path);
  return pages.length - new Set(pages).size;
}

async function newDirectory(): Promise<string> {
  await mkdir(DEFAULT_DATA, { recursive: true });
  for (let n = 1; ; n++) {
    const directory = join(DEFAULT_DATA, n === 1 ? 'demo' : `demo-${n}`);
    try {
      await mkdir(directory);
      return directory;
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  }
}

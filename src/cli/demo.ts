import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { styleText } from 'node:util';
import { type Command, Option } from 'commander';
import { type RunningCourt, startCourt } from '../../sim/court/court.ts';
import { readRecords } from '../engine/record-stream.ts';
import { systemCodeOf } from '../platform/errors.ts';
import { makeDirectory, PRIVATE_DIRECTORY } from '../platform/make-directory.ts';
import { packageRoot } from '../platform/version.ts';
import { ExitCode } from './exit-code.ts';
import { formatTable } from './format.ts';
import { commandLine } from './format-summary.ts';
import { jsonLine } from './json-line.ts';
import { lookAtData } from './look-at-data.ts';
import { addJsonOption, DEFAULT_DATA, type JsonOption } from './options.ts';
import { ownName } from './own-name.ts';

interface Options extends JsonOption {
  readonly data?: string;
}

/** What came of it, for machines. */
interface DemoReport {
  readonly data: string;
  /** What was committed when the run was killed. */
  readonly recordsWhenKilled: number;
  readonly kinds: readonly Coverage[];
  /** Pages that were on their way when it was killed. */
  readonly pagesAskedAgain: number;
  readonly complete: boolean;
}

interface Coverage {
  readonly kind: string;
  readonly there: number;
  readonly found: number;
  readonly twice: number;
}

/** Long enough that there is something to see and a middle to be killed in, short enough for a newcomer's patience. */
const COURT = { seed: 7, highest: 240, latencyMs: 60 };
const CONCURRENCY = 4;

export function define(command: Command): Command {
  command.addOption(
    new Option('--data <dir>', 'directory of the ledger, archive and files').default(
      undefined,
      `a new one in ${DEFAULT_DATA}`,
    ),
  );
  addJsonOption(command);
  return command.addHelpText('after', '\nExample:\n  curlew demo').action(async (options: Options) => {
    const data = options.data ?? (await newDirectory());
    const court = await startCourt(COURT);
    const demo = new Demo(court, data, options.json ?? false);
    // The run ends in its own way; then so do we.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => demo.stop(signal));
    try {
      process.exitCode = await demo.run();
    } finally {
      await court.close();
    }
  });
}

class Demo {
  readonly #court: RunningCourt;
  readonly #data: string;
  readonly #json: boolean;
  #child: ChildProcess | undefined;

  constructor(court: RunningCourt, data: string, json: boolean) {
    this.#court = court;
    this.#data = data;
    this.#json = json;
  }

  /** A terminal sends Ctrl-C to both processes, a supervisor only to this one: the run takes two at once for one. */
  stop(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Gives the exit code. */
  async run(): Promise<number> {
    const [court, data] = [this.#court, this.#data];
    const expected = { case: court.expectedCases().length, document: court.expectedDocuments().length };
    this.#say(1, `A court is playing on ${court.url}: ${expected.case} cases with ${expected.document} documents.`);
    this.#tell(`The scraper is ${relative(process.cwd(), join(packageRoot(), 'examples', 'county-court.ts'))}.`);

    this.#say(2, 'Curlew mirrors it, and is killed in the middle, without warning (SIGKILL):');
    const first = await this.#mirrorAndKill((expected.case + expected.document) / 2);
    if (first !== 'killed') return first;
    const recordsWhenKilled = await countRecords(data);
    this.#tell(styleText('red', `Killed. ${recordsWhenKilled} records had been committed, and they are safe.`));

    this.#say(3, `It goes on where it was (${ownName()} resume latest):`);
    const resumed = await endOf(this.#startCurlew(['resume', 'latest', '--data', data]));
    if (resumed !== ExitCode.ok) return resumed;

    this.#say(4, 'What the court has, and what was found:');
    const kinds = await coverageOf(data, expected);
    this.#showCoverage(kinds);
    const pagesAskedAgain = askedAgain(court);
    this.#tell(`${pagesAskedAgain} pages were fetched again: they were on their way when it was killed.`);
    const complete = kinds.every(({ there, found, twice }) => there === found && twice === 0);
    const report: DemoReport = { data, recordsWhenKilled, kinds, pagesAskedAgain, complete };
    if (this.#json) process.stdout.write(`${jsonLine(report)}\n`);
    if (!complete) return ExitCode.notOk;

    const where = relative(process.cwd(), data) || '.';
    this.#say(5, `The data lies in ${where}:`);
    this.#tell('ledger.sqlite  what was asked, what became of it, what was found');
    this.#tell('archive/       every exchange, as WARC');
    this.#tell('files/         the documents');

    this.#say(6, 'Try next:');
    for (const next of ['show latest', 'records latest', 'export latest --format csv', 'replay latest --diff']) {
      this.#tell(commandLine(next, where));
    }
    return ExitCode.ok;
  }

  #say(step: number, text: string): void {
    this.#show.write(`\n${styleText('bold', `${step}. ${text}`)}\n`);
  }

  #tell(text: string): void {
    this.#show.write(`   ${text}\n`);
  }

  /** Where people look; machines read standard output. */
  get #show(): NodeJS.WriteStream {
    return this.#json ? process.stderr : process.stdout;
  }

  #showCoverage(kinds: readonly Coverage[]): void {
    const rows = kinds.map(({ kind, there, found, twice }) => [`${kind}s`, there, found, there - found, twice]);
    const table = formatTable([['', 'there', 'found', 'missing', 'twice'], ...rows]);
    for (const line of table.trimEnd().split('\n')) this.#tell(line);
  }

  /** `killed`, or the exit code of a run that ended before. */
  async #mirrorAndKill(requests: number): Promise<'killed' | number> {
    // Beside this file's own kind: sources run sources, the package runs what was compiled.
    const extension = extname(import.meta.filename);
    const scraper = new URL(`../../examples/county-court${extension}`, import.meta.url).pathname;
    const { url, log } = this.#court;
    const where = ['--base-url', url, '--allow-host', new URL(url).host, '--data', this.#data];
    const child = this.#startCurlew(['run', scraper, ...where, '--rate', 'off', '--concurrency', String(CONCURRENCY)]);
    const ended = endOf(child);
    const half = log.arrival(({ n }) => n > requests).then(() => child.kill('SIGKILL'));
    await Promise.race([ended, half]);
    const code = await ended;
    return child.signalCode === 'SIGKILL' ? 'killed' : code || ExitCode.notOk;
  }

  #startCurlew(args: readonly string[]): ChildProcess {
    const command = [join(packageRoot(), 'bin', 'curlew.js'), ...args];
    this.#child = spawn(process.execPath, command, { stdio: ['inherit', this.#json ? 2 : 'inherit', 'inherit'] });
    return this.#child;
  }
}

async function endOf(child: ChildProcess): Promise<number> {
  const [code] = await once(child, 'exit');
  return code ?? ExitCode.notOk;
}

async function countRecords(data: string): Promise<number> {
  return lookAtData(data, async (ledger) => {
    const kinds = await ledger.recordCountsByKind((await ledger.run('latest')).id);
    return kinds.reduce((sum, { total }) => sum + total, 0);
  });
}

/** Counts what was found, each thing once, however often it may lie in the ledger. */
async function coverageOf(data: string, expected: Readonly<Record<string, number>>): Promise<Coverage[]> {
  const urls = new Map<string, string[]>(Object.keys(expected).map((kind) => [kind, []]));
  await lookAtData(data, async (ledger) => {
    for await (const { kind, url } of readRecords(ledger, (await ledger.run('latest')).id)) urls.get(kind)?.push(url);
  });
  return Object.entries(expected).map(([kind, there]) => {
    const found = urls.get(kind) ?? [];
    return { kind, there, found: new Set(found).size, twice: found.length - new Set(found).size };
  });
}

/** Requests for pages that had been asked for before. */
function askedAgain(court: RunningCourt): number {
  const pages = court.log.entries.filter(({ path }) => path !== '/robots.txt').map(({ path }) => path);
  return pages.length - new Set(pages).size;
}

async function newDirectory(): Promise<string> {
  makeDirectory(DEFAULT_DATA);
  for (let n = 1; ; n++) {
    const directory = join(DEFAULT_DATA, n === 1 ? 'demo' : `demo-${n}`);
    try {
      await mkdir(directory, { mode: PRIVATE_DIRECTORY });
      return directory;
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
    }
  }
}

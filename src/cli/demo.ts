import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import type { Command } from 'commander';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { packageRoot } from '../platform/version.ts';
import { ExitCode } from './exit-code.ts';
import { lookAtData } from './look-at-data.ts';

interface Options {
  readonly data?: string;
}

/** Long enough that the kill comes in the middle, short enough for a newcomer's patience. */
const CASES = 240;
const LATENCY = 60;

export function define(command: Command): Command {
  return command
    .option('--data <dir>', 'where to put the data (default: a new directory under ./curlew-data)')
    .addHelpText('after', '\nExample:\n  curlew demo')
    .action(async (options: Options) => {
      const data = options.data ?? (await newDirectory());
      const court = await startCourt();
      try {
        process.exitCode = await show(court.url, data);
      } finally {
        court.process.kill('SIGTERM');
      }
    });
}

async function show(url: string, data: string): Promise<number> {
  const home = packageRoot();
  const example = join(home, 'examples', 'county-court.ts');
  const host = new URL(url).host;
  say('1', `A court with ${CASES} cases is playing on ${url}.`);
  say('2', 'Curlew mirrors it, and is killed without warning (SIGKILL) in the middle:');
  const run = ['run', example, '--base-url', url, '--allow-host', host, '--rate', 'off', '--concurrency', '4'];
  const first = curlew([...run, '--data', data]);
  const died = once(first, 'exit');
  await Promise.race([died, recordsReach(data, CASES / 2)]);
  if (!first.kill('SIGKILL')) {
    process.stderr.write('curlew: the first run ended before it could be killed.\n');
    return ExitCode.notOk;
  }
  await died;
  const left = await countRecords(data);
  process.stdout.write(styleText('red', `\n  killed: ${left} records were committed, and they are safe.\n`));
  say('3', 'It goes on where it was:');
  const [code] = await once(curlew(['resume', 'latest', '--data', data]), 'exit');
  if (code !== 0) return ExitCode.notOk;
  const where = relative(process.cwd(), data) || '.';
  say('4', `Nothing was lost and nothing is there twice. The data lies in ${where}:`);
  process.stdout.write(`     ledger.sqlite   what was asked, what became of it, what was found
     archive/        every exchange, as WARC
     files/          the documents\n`);
  say('5', 'Try next:');
  const name = home === process.cwd() ? 'node bin/curlew.js' : 'curlew';
  for (const next of ['show latest', 'records latest', 'export latest --format csv', 'replay latest --diff']) {
    process.stdout.write(`     ${name} ${next} --data ${where}\n`);
  }
  return ExitCode.ok;
}

function say(step: string, text: string): void {
  process.stdout.write(`\n${styleText('bold', `${step}. ${text}`)}\n`);
}

function curlew(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [join(packageRoot(), 'bin', 'curlew.js'), ...args], { stdio: 'inherit' });
}

async function newDirectory(): Promise<string> {
  const { mkdir } = await import('node:fs/promises');
  await mkdir('curlew-data', { recursive: true });
  return mkdtemp(join('curlew-data', 'demo-'));
}

async function startCourt(): Promise<{ process: ChildProcess; url: string }> {
  // Beside this file's own kind: sources run sources, the package runs what was compiled.
  const main = new URL(`../../sim/court/main${extname(import.meta.filename)}`, import.meta.url).pathname;
  const args = ['--port', '0', '--highest', String(CASES), '--latency', String(LATENCY), '--seed', '7'];
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = new Promise<string>((resolve) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text);
    });
  });
  const gone = once(child, 'exit').then(() => undefined);
  const line = await Promise.race([ready, gone]);
  if (line === undefined) throw new CurlewError(ErrorCode.internal, 'The simulated court could not be started.');
  return { process: child, url: JSON.parse(line).url };
}

async function recordsReach(data: string, wanted: number): Promise<void> {
  while ((await countRecords(data)) < wanted) await sleep(50);
}

async function countRecords(data: string): Promise<number> {
  try {
    return await lookAtData(data, async (ledger) => (await ledger.recordCount((await ledger.run('latest')).id)).total);
  } catch (error) {
    // The run has not been recorded yet.
    if (error instanceof CurlewError && error.code === ErrorCode.runNotFound) return 0;
    throw error;
  }
}

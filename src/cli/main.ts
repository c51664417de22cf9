// The command line. Commands, and what reads their options, are loaded when they are called, so that `curlew --help` is quick.
// What goes wrong comes out as: what happened, to what, what to do. Exit codes: 0 done, 1 not ok, 2 usage, 130 interrupted.

import type { CommanderError } from 'commander';
import { CurlewError, ErrorCode, systemCodeOf } from '../platform/errors.ts';
import { nearest } from '../platform/nearest.ts';
import { version } from '../platform/version.ts';
import { COMMANDS, type CommandName } from './commands.ts';
import { ExitCode } from './exit-code.ts';
import { reportError } from './report-error.ts';

/** Runs one command; sets the process' exit code instead of exiting, so that output is written to its end. */
export async function main(args: readonly string[]): Promise<void> {
  const output = { failed: false };
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      // Whoever read our output may have left. Whatever it is, a run goes on.
      if (isClosedPipe(error) || output.failed) return;
      output.failed = true;
      process.exitCode = reportError(unwritten(error), false);
    });
  }
  const code = await dispatch(args).catch((error) => exitCodeFor(error, args.includes('--json')));
  process.exitCode = output.failed ? ExitCode.notOk : code;
}

function unwritten(cause: Error): CurlewError {
  return new CurlewError(ErrorCode.diskFull, `What there is to print could not be written: ${cause.message}`, {
    remedy: 'Free some space, or print to another place. What was kept in the data directory is whole.',
    cause,
  });
}

async function dispatch(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === 'help' && rest.length > 0) return dispatch([...rest, '--help']);
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(overview());
    return name === undefined ? ExitCode.usage : ExitCode.ok;
  }
  if (name === '--version' || name === '-V') {
    process.stdout.write(`${version()}\n`);
    return ExitCode.ok;
  }
  if (!isCommand(name)) {
    const [sort, known] = name.startsWith('-')
      ? ['option', ['--help', '--version']]
      : ['command', Object.keys(COMMANDS)];
    const guess = nearest(name, known);
    const remedy = guess === undefined ? 'curlew --help lists them.' : `Did you mean: curlew ${guess}?`;
    throw new CurlewError(ErrorCode.usage, `there is no ${sort} ${JSON.stringify(name)}.`, { remedy });
  }
  const { bareCommand, showUsageAfterErrors } = await import('./bare-command.ts');
  const { define } = await COMMANDS[name].load();
  const command = showUsageAfterErrors(define(bareCommand(name, COMMANDS[name].summary)));
  process.exitCode = ExitCode.ok;
  await command.parseAsync(rest, { from: 'user' });
  return Number(process.exitCode);
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    'Usage: curlew <command> [options]',
    '',
    'Mirrors public records from websites: polite, crash-proof, and able to prove',
    'what is complete.',
    '',
    'Commands:',
    ...lines,
    '',
    'Every command has --help with an example. Data lives in ./curlew-data, or where',
    '--data or CURLEW_DATA says.',
    '',
  ].join('\n');
}

function exitCodeFor(error: unknown, json: boolean): ExitCode {
  if (isCommanderError(error)) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
  // `curlew records latest | head` is no error.
  if (isClosedPipe(error)) return ExitCode.ok;
  return reportError(error, json);
}

/** Known by its code, so that Commander is loaded only for a command. */
function isCommanderError(error: unknown): error is CommanderError {
  return systemCodeOf(error)?.startsWith('commander.') ?? false;
}

function isClosedPipe(error: unknown): boolean {
  return systemCodeOf(error) === 'EPIPE';
}

// The command line. Commands are loaded when they are called, so that `curlew --help` is quick. What goes wrong comes out
// as: what happened, to what, what to do. Exit codes: 0 done, 1 not ok, 2 usage, 130 interrupted.

import { Command, CommanderError } from 'commander';
import { systemCodeOf } from '../platform/errors.ts';
import { version } from '../platform/version.ts';
import { COMMANDS, type CommandName } from './commands.ts';
import { ExitCode } from './exit-code.ts';
import { nearest } from './nearest.ts';
import { reportError } from './report-error.ts';

/** Runs one command; sets the process' exit code instead of exiting, so that output is written to its end. */
export async function main(args: readonly string[]): Promise<void> {
  process.stdout.on('error', passOverClosedPipe);
  process.stderr.on('error', passOverClosedPipe);
  try {
    process.exitCode = await dispatch(args);
  } catch (error) {
    process.exitCode = exitCodeFor(error, args.includes('--json'));
  }
}

async function dispatch(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const about = rest[0];
    if (name === 'help' && about !== undefined && isCommand(about)) return dispatch([about, '--help']);
    process.stdout.write(overview());
    return name === undefined ? ExitCode.usage : ExitCode.ok;
  }
  if (name === '--version' || name === '-V') {
    process.stdout.write(`${version()}\n`);
    return ExitCode.ok;
  }
  if (!isCommand(name)) {
    const guess = nearest(name, Object.keys(COMMANDS));
    process.stderr.write(`curlew: there is no command ${JSON.stringify(name)}.\n`);
    process.stderr.write(guess === undefined ? '  curlew --help lists them.\n' : `  Did you mean: curlew ${guess}?\n`);
    return ExitCode.usage;
  }
  const { define } = await COMMANDS[name].load();
  // Before it is defined: subcommands take over what their parent has when they are made.
  const bare = new Command(`curlew ${name}`)
    .description(COMMANDS[name].summary)
    .exitOverride()
    .showHelpAfterError('  (--help shows the options and an example)')
    .configureOutput({
      outputError: (text: string, write: (text: string) => void) => write(text.replace(/^error: /, 'curlew: ')),
    });
  const command = define(bare);
  process.exitCode = ExitCode.ok;
  await command.parseAsync([...rest], { from: 'user' });
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
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
  // `curlew records latest | head` is no error.
  if (isClosedPipe(error)) return ExitCode.ok;
  return reportError(error, json);
}

/** Whoever read our output has left. A run goes on all the same. */
function passOverClosedPipe(error: Error): void {
  if (!isClosedPipe(error)) throw error;
}

function isClosedPipe(error: unknown): boolean {
  return systemCodeOf(error) === 'EPIPE';
}

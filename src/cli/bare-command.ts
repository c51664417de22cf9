// What all commands have in common before they have anything of their own: help that reads the same everywhere, and an
// answer to wrong usage that names the nearest right one.

import { Command, type CommanderError, Help, type Option } from 'commander';
import { CurlewError, ErrorCode } from '../platform/errors.ts';
import { nearest } from '../platform/nearest.ts';

/** Options that several commands share, in the order in which every help ends. What a command has of its own comes first. */
export const SHARED_OPTIONS = [
  '--concurrency',
  '--rate',
  '--allow-host',
  '--robots',
  '--proxy',
  '--user-agent',
  '--base-url',
  '--durability',
  '--source',
  '--embedded',
  '--data',
  '--json',
  '--help',
];

/** A command to be defined. What it has is handed on to its subcommands when they are made. */
export function bareCommand(name: string, summary: string): Command {
  return (
    new Command(`curlew ${name}`)
      .description(summary)
      .helpOption('-h, --help', 'show this help')
      .configureHelp({ visibleOptions, optionDescription })
      // What is wrong is thrown, and reported like every other error.
      .configureOutput({ outputError() {} })
  );
}

/** Lets a command, and each of its subcommands, answer wrong usage with the right one. */
export function showUsageAfterErrors(command: Command, name = command.name()): Command {
  command.exitOverride((error) => {
    throw isWrongUsage(error) ? wrongUsage(error, `${name} ${command.usage()}`) : error;
  });
  if (command.commands.length > 0) command.helpCommand('help [command]', 'show the help of a command');
  for (const one of command.commands) showUsageAfterErrors(one, `${name} ${one.name()}`);
  return command;
}

/** Help that was asked for, and the help that somebody gets who names no subcommand, have said all there is to say. */
function isWrongUsage({ code }: CommanderError): boolean {
  return code !== 'commander.helpDisplayed' && code !== 'commander.help';
}

function visibleOptions(this: Help, command: Command): Option[] {
  const rank = ({ long }: Option) => SHARED_OPTIONS.indexOf(long ?? '');
  return Help.prototype.visibleOptions.call(this, command).sort((a, b) => rank(a) - rank(b));
}

function optionDescription({ description, argChoices, defaultValue, defaultValueDescription, envVar }: Option): string {
  const byDefault = defaultValueDescription ?? defaultValue;
  const facts = [
    argChoices === undefined ? undefined : `choices: ${argChoices.join(', ')}`,
    byDefault === undefined ? undefined : `default: ${byDefault}`,
    envVar === undefined ? undefined : `env: ${envVar}`,
  ].filter((fact) => fact !== undefined);
  return facts.length === 0 ? description : `${description} (${facts.join('; ')})`;
}

/** Commander's words in ours, with the nearest choice where it only lists them. */
function wrongUsage({ message }: CommanderError, usage: string): CurlewError {
  const [, text = message, meant] = /^(?:error: )?(.*?)(?:\n\(Did you mean (.*)\?\))?$/s.exec(message) ?? [];
  const [, given, choices] = /argument '(.*)' is invalid\. Allowed choices are (.*)\.$/.exec(text) ?? [];
  const guess = meant ?? (given === undefined ? undefined : nearest(given, choices?.split(', ') ?? []));
  const remedy = [
    ...(guess === undefined ? [] : [`Did you mean: ${guess}?`]),
    `Usage: ${usage}`,
    '(--help shows the options and an example)',
  ];
  return new CurlewError(ErrorCode.usage, text, { remedy: remedy.join('\n') });
}

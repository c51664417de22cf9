// What all commands have in common before they have anything of their own: help that reads the same everywhere, and an
// answer to wrong usage that names the nearest right one.

import { Command, Help, type Option } from 'commander';
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
  return new Command(`curlew ${name}`)
    .description(summary)
    .helpOption('-h, --help', 'show this help')
    .exitOverride()
    .configureHelp({ visibleOptions, optionDescription })
    .configureOutput({ outputError: (text, write) => write(explain(text)) });
}

/** Lets a command, and each of its subcommands, answer wrong usage with the right one. */
export function showUsageAfterErrors(command: Command, name = command.name()): Command {
  command.showHelpAfterError(`  Usage: ${name} ${command.usage()}\n  (--help shows the options and an example)`);
  if (command.commands.length > 0) command.helpCommand('help [command]', 'show the help of a command');
  for (const one of command.commands) showUsageAfterErrors(one, `${name} ${one.name()}`);
  return command;
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
function explain(error: string): string {
  const text = error.replace(/^error: /, 'curlew: ').replace(/\n\(Did you mean (.*)\?\)/, '\n  Did you mean: $1?');
  const [, given, choices] = /argument '(.*)' is invalid\. Allowed choices are (.*)\.\n/.exec(text) ?? [];
  if (given === undefined || choices === undefined) return text;
  const guess = nearest(given, choices.split(', '));
  return guess === undefined ? text : `${text}  Did you mean: ${guess}?\n`;
}

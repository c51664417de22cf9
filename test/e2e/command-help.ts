// Every command and subcommand there is, with its help as `--help` prints it.

import type { Command } from 'commander';
import { bareCommand, showUsageAfterErrors } from '../../src/cli/bare-command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';

export interface CommandHelp {
  /** `sites run`. */
  readonly name: string;
  readonly text: string;
  /** The command lines under `Example:`, without the `curlew` before them. */
  readonly examples: readonly string[];
  readonly options: readonly OptionHelp[];
}

interface OptionHelp {
  /** `--output`. */
  readonly name: string;
  /** `-o, --output <file>`. */
  readonly flags: string;
  /** What is said about it, on one line. */
  readonly words: string;
}

export async function readHelp(): Promise<CommandHelp[]> {
  const all = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { summary, load }]) => {
      const command = showUsageAfterErrors((await load()).define(bareCommand(name, summary)));
      return [helpOf(name, command), ...command.commands.map((one) => helpOf(`${name} ${one.name()}`, one))];
    }),
  );
  return all.flat();
}

function helpOf(name: string, command: Command): CommandHelp {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
  command.outputHelp();
  const [, after = ''] = text.split('\nExample:\n');
  return {
    name,
    text,
    examples: after
      .trim()
      .split('\n')
      .map((line) => line.trim().replace(/^curlew /, '')),
    options: optionsIn(text),
  };
}

function optionsIn(text: string): OptionHelp[] {
  const section = /^Options:\n(.*?)\n\n/ms.exec(text)?.[1] ?? '';
  // A line that begins with a dash begins an option; those indented further go on with it.
  return section.split(/\n(?= {2}-)/).map((lines) => {
    const [flags = '', words = ''] = lines.trim().split(/ {2,}(.*)/s);
    return { name: /--[\w-]+/.exec(flags)?.[0] ?? '', flags, words: words.replaceAll(/\s+/g, ' ') };
  });
}

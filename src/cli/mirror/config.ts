import type { Command } from 'commander';
import { listConfig } from '../../mirror/config/mirror-config.ts';
import { formatTable, printable } from '../format.ts';
import { jsonLine } from '../json-line.ts';
import { addJsonOption, type JsonOption } from '../options.ts';

export function define(command: Command): Command {
  addJsonOption(command);
  return command.addHelpText('after', '\nExample:\n  curlew mirror config').action(({ json }: JsonOption) => {
    const rows = listConfig(process.env);
    if (json) {
      process.stdout.write(rows.map((row) => `${jsonLine(row)}\n`).join(''));
      return;
    }
    const table = rows.map(({ name, value, isSet, default: usual, meaning }) => [
      name,
      printable(value === '' ? '–' : value),
      isSet ? `default ${usual === '' ? '–' : usual}` : '',
      meaning,
    ]);
    process.stdout.write(formatTable([['setting', 'value', '', 'meaning'], ...table]));
  });
}

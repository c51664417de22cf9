import { type Command, InvalidArgumentError } from 'commander';
import { diffVersions } from '../../mirror/reports/diff-versions.ts';
import { formatCount, printable } from '../format.ts';
import { jsonLine } from '../json-line.ts';
import { lookAtData } from '../look-at-data.ts';
import { addDataOption, addJsonOption, type DataOption, type JsonOption } from '../options.ts';

export function define(command: Command): Command {
  command.argument('<from>', 'number of a version', readVersion).argument('<to>', 'number of another', readVersion);
  addDataOption(command);
  addJsonOption(command);
  return command
    .addHelpText('after', '\nExample:\n  curlew mirror diff 1 2')
    .action(async (from: number, to: number, options: DataOption & JsonOption) => {
      const diff = await lookAtData(options.data, (ledger) => diffVersions(ledger.mirror, from, to));
      if (options.json) {
        process.stdout.write(`${jsonLine(diff)}\n`);
        return;
      }
      const { new_cases: added, removed_cases: removed, changed_cases: changed } = diff;
      const line = (sign: string, token: string, what: string | null) =>
        process.stdout.write(`${sign} ${printable(token)}  ${printable(what ?? '')}\n`);
      for (const one of added) line('+', one.actions_token, one.title);
      for (const one of removed) line('-', one.actions_token, one.title);
      for (const one of changed) {
        for (const { field, old, new: now } of one.fields) {
          line('~', one.actions_token, `${field}: ${JSON.stringify(old)} → ${JSON.stringify(now)}`);
        }
      }
      const counts = [added, removed, changed].map(({ length }) => formatCount(length));
      process.stdout.write(`${counts[0]} new, ${counts[1]} removed, ${counts[2]} changed.\n`);
    });
}

function readVersion(text: string): number {
  const version = Number(text);
  if (!Number.isSafeInteger(version) || version < 1)
    throw new InvalidArgumentError('It must be the number of a version.');
  return version;
}
